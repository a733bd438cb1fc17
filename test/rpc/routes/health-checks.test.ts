import { expect, test } from "vitest";
import { HealthBoard } from "../../../src/node/services/health-board.ts";
import type { HealthReport } from "../../../src/rpc/ports/node-health.ts";
import { HealthChecks } from "../../../src/rpc/routes/health-checks.ts";
import type { HealthReading } from "../../../src/telemetry/health.ts";

const report = (change: Partial<HealthReport> = {}): HealthReport => ({
  components: [],
  blockNumber: 100,
  checkpointNumber: 10,
  lagBlocks: 0,
  l1BlockNumber: 5,
  l1AgeSeconds: 3,
  peers: 4,
  limits: { maxLagBlocks: 50, maxL1AgeSeconds: 300, minPeers: 1 },
  ...change,
});
const ready = async (change: Partial<HealthReport>, query = "") => {
  const { status, body } = await new HealthChecks({ report: () => report(change) }).ready(query);
  const { reasons = [] } = body as { reasons?: { component: string; rule: string }[] };
  return [status, ...reasons.map(({ component, rule }) => `${component} ${rule}`)];
};
const component = (name: string, state: HealthReading["state"]) => ({ name, state, since: "2026-01-01T00:00:00.000Z" });

test("a limit holds up to its value, and a limit in the question replaces the node's own", async () => {
  expect(await ready({ lagBlocks: 50, l1AgeSeconds: 300, peers: 1 })).toEqual([200]);
  expect(await ready({ lagBlocks: 51, l1AgeSeconds: 301, peers: 0 })).toEqual([
    503,
    "sync maxLagBlocks",
    "l1 maxL1AgeSeconds",
    "peers minPeers",
  ]);
  expect(await ready({ lagBlocks: 51, peers: 0 }, "maxLagBlocks=51&minPeers=0")).toEqual([200]);
  expect(await ready({ l1AgeSeconds: 3 }, "maxL1AgeSeconds=2")).toEqual([503, "l1 maxL1AgeSeconds"]);
});

test("an L1 block far ahead of the clock breaks the limit of age, and so does an unknown one", async () => {
  expect(await ready({ l1AgeSeconds: -301 })).toEqual([503, "l1 maxL1AgeSeconds"]);
  expect(await ready({ l1AgeSeconds: undefined })).toEqual([503, "l1 maxL1AgeSeconds"]);
});

test("a component that waits or failed makes the node unready; one that is off does not", async () => {
  const components = [component("a", "ok"), component("b", "off"), component("c", "waiting"), component("d", "failed")];
  expect(await ready({ components })).toEqual([503, "c state", "d state"]);
  expect(await ready({ components: components.slice(0, 2) })).toEqual([200]);
});

test("a node whose main thread does not answer is neither live nor ready", async () => {
  for (const stuck of [() => new Promise<never>(() => undefined), () => Promise.reject(new Error("busy"))]) {
    const checks = new HealthChecks({ report: stuck }, 20);
    expect([(await checks.live()).status, (await checks.ready("")).status]).toEqual([503, 503]);
    expect(await checks.status()).toMatchObject({ status: 200, body: { ready: false } });
  }
});

test("questions at the same time share one report", async () => {
  let reports = 0;
  const later = async () => {
    reports++;
    await new Promise((resolve) => setTimeout(resolve, 5));
    return report();
  };
  const checks = new HealthChecks({ report: later });
  await Promise.all([checks.live(), checks.ready(""), checks.ready("minPeers=2"), checks.status()]);
  expect(reports).toBe(1);
  await checks.live();
  expect(reports).toBe(2);
});

test("the time of a component's state stays while the state does, whatever its reason", async () => {
  let reading: HealthReading = { state: "waiting", reason: "1 of 3" };
  const board = new HealthBoard([{ name: "world-state", read: () => reading }], () => report());
  try {
    const [first] = board.report().components;
    await new Promise((resolve) => setTimeout(resolve, 15));
    reading = { state: "waiting", reason: "2 of 3" };
    const [second] = board.report().components;
    expect(second).toEqual({ name: "world-state", state: "waiting", reason: "2 of 3", since: first.since });
    reading = { state: "ok" };
    expect(Date.parse(board.report().components[0].since)).toBeGreaterThan(Date.parse(first.since));
  } finally {
    board.close();
  }
});
