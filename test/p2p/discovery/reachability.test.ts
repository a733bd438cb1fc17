import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Reachability } from "../../../src/p2p/discovery/reachability.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { discoveryNode } from "../../world/p2p/discovery-nodes.ts";

let lines: string[];
const note = (level: string) => (facts: object, message: string) =>
  void lines.push(
    `${level} ${message.replaceAll(/\{(\w+)\}/g, (_, key) => String((facts as Record<string, unknown>)[key]))}`,
  );
const log = { ...silentLogger, warn: note("warn"), info: note("info") };
const minutes = (count: number): unknown => vi.advanceTimersByTime(count * 60_000);

beforeEach(() => {
  lines = [];
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => void vi.useRealTimers());

function watched(ip: string | undefined, known: number | undefined): Reachability {
  const reachability = new Reachability({ ip, port: 40400, known: () => known, log });
  reachability.start();
  return reachability;
}

test("a node that nobody reaches says so after 5 minutes and each hour, with what to do", () => {
  const reachability = watched("203.0.113.7", 3);
  minutes(4.9);
  expect(lines).toEqual([]);
  minutes(0.2);
  expect(lines).toEqual([
    "warn no other node has reached this one by UDP and TCP in 5 min; it has only the peers that it dials. Open UDP and TCP port 40400 in the firewall, forward it to this machine where there is NAT, and check that P2P_IP, 203.0.113.7, is its public address",
  ]);
  reachability.reached("UDP");
  minutes(60);
  expect(lines.slice(1)).toEqual([
    "info other nodes reach this one by UDP now",
    expect.stringContaining("reached this one by TCP in 65 min"),
  ]);
  reachability.reached("TCP");
  reachability.reached("TCP");
  minutes(600);
  expect(lines.slice(3)).toEqual(["info other nodes reach this one by TCP now"]);
});

test("a node that is reached by both protocols says nothing", () => {
  const reachability = watched("203.0.113.7", 3);
  reachability.reached("TCP");
  reachability.reached("UDP");
  minutes(600);
  expect(lines).toEqual([]);
});

test("a node without a configured address is told to set one", () => {
  const reachability = watched(undefined, 3);
  minutes(6);
  expect(lines[0]).toContain("and set P2P_IP to its public address or P2P_QUERY_FOR_IP to true");
  reachability.stop();
  minutes(600);
  expect(lines).toHaveLength(1);
});

test("a node that knows no other one is told to check its bootnodes", () => {
  watched("203.0.113.7", 0);
  minutes(6);
  expect(lines).toEqual([expect.stringContaining("warn no other node is known after 5 min: check BOOTSTRAP_NODES")]);
});

test("a node without discovery is watched by TCP alone", () => {
  const silent = watched("203.0.113.7", undefined);
  minutes(6);
  expect(lines).toEqual([expect.stringContaining("has reached this one by TCP in 5 min")]);
  silent.stop();
  const reached = watched("203.0.113.7", undefined);
  reached.reached("TCP");
  minutes(600);
  expect(lines).toHaveLength(1);
});

test("a packet of a node that was not asked counts, an answer does not", async () => {
  vi.useRealTimers();
  const reached = new Set<string>();
  const asked = await discoveryNode();
  asked.onStranger(() => void reached.add("asked"));
  const asking = await discoveryNode({ trusted: [asked.enr] });
  asking.onStranger(() => void reached.add("asking"));
  await asked.start();
  await asking.start();
  await asking.query();
  expect(asking.transport.counts.received).toBeGreaterThan(0);
  await Promise.all([asked.stop(), asking.stop()]);
  expect([...reached]).toEqual(["asked"]);
});
