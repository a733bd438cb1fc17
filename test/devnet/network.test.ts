import { expect, test } from "vitest";
import { parseLogFilter } from "../../src/config/kinds/log-filter.ts";
import type { CombinedLog } from "../../src/devnet/combined-log.ts";
import { type DeployedDevnet, DevnetFolder } from "../../src/devnet/folder.ts";
import { Network } from "../../src/devnet/network.ts";
import type { Part } from "../../src/devnet/part.ts";
import { newPlan } from "../../src/devnet/plan.ts";
import type { ProcessWatch } from "../../src/devnet/process-watch.ts";
import { createLogging } from "../../src/process/logging/logging.ts";

/** A network of L1 alone. */
function networkOf(l1: Partial<Part>) {
  const lines: string[] = [];
  const log = createLogging({
    ...{ filter: parseLogFilter("info"), json: false, secrets: [], write: (line: string) => lines.push(line) },
  })("devnet");
  const folder = new DevnetFolder("/net");
  const nodes = [{ name: "l1", role: "L1", port: 1 }] as const;
  const { signal } = new AbortController();
  const network = new Network({
    ...{ folder, nodes, program: [], log, signal, combined: {} as CombinedLog, watch: {} as ProcessWatch },
    l1: { state: "running", endedWith: undefined, pid: 1, start: async () => {}, stop: async () => {}, ...l1 } as Part,
  });
  const facts = { plan: newPlan({}), folder, nodes, deployed: {} as DeployedDevnet, bootnode: "" };
  return { network, lines, start: () => network.startNodes(facts) };
}

test("nodes are shown at any time, and stopped, killed or restarted only while the network runs", async () => {
  const { network, start } = networkOf({});
  const stop = () => network.handle({ action: "stop", name: "l1" });
  await expect(stop()).rejects.toThrow("the network is still starting");
  expect(await network.handle({ action: "status" })).toMatchObject({ nodes: [{ name: "l1", state: "running" }] });
  await start();
  expect(await stop()).toEqual({ done: "l1 was stopped; svc devnet restart l1 starts it" });
  await expect(network.handle({ action: "stop", name: "l2" })).rejects.toThrow('no node is named "l2": there are l1');
  await network.stop();
  await expect(stop()).rejects.toThrow("the network is being stopped");
});

test("a process that cannot be stopped is logged, and the end goes on", async () => {
  const { network, lines, start } = networkOf({ stop: () => Promise.reject(new Error("no such process")) });
  await start();
  await network.stop();
  expect(lines.join("")).toContain("l1 could not be stopped");
});
