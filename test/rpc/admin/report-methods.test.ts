import { expect, test } from "vitest";
import type { AdminServices } from "../../../src/rpc/admin/ports/admin-services.ts";
import { INVALID_PARAMS } from "../../../src/rpc/jsonrpc/errors.ts";
import { counter, histogram } from "../../../src/telemetry/metrics/metric-row.ts";
import { Metrics } from "../../../src/telemetry/metrics/metrics.ts";
import { adminCalls } from "../../world/rpc/admin-calls.ts";

function reporting(reports: Partial<AdminServices["reports"]>, others: Partial<AdminServices> = {}) {
  const { services } = adminCalls();
  return adminCalls({ reports: { ...services.reports, ...reports }, ...others });
}

test("svcAdmin_getMetrics answers the metrics with the asked prefixes, histograms with their buckets", async () => {
  const metrics = new Metrics(() => {});
  metrics.counter(counter("svc.l1.calls", { labels: { endpoint: "any" }, meaning: "calls" })).add(3, { endpoint: "a" });
  metrics.counter(counter("svc.l2.calls", { meaning: "calls" })).add();
  metrics.histogram(histogram("svc.l1.time", { unit: "s", bounds: [1, 2], meaning: "time" })).record(1.5);
  const { call } = reporting({ metrics: () => metrics.collect() });
  expect((await call("svcAdmin_getMetrics", [["svc.l1."]])).answer.result).toEqual([
    { name: "svc.l1.calls", kind: "counter", unit: "", labels: { endpoint: "a" }, value: 3 },
    { name: "svc.l1.time", kind: "histogram", unit: "s", labels: {}, sum: 1.5, bounds: [1, 2], counts: [0, 1, 0] },
  ]);
  const refused = await call("svcAdmin_getMetrics", [[]]);
  expect(refused.answer.error?.code).toBe(INVALID_PARAMS);
});

test("svcAdmin_getLogLines takes the last line that the client has and a limit", async () => {
  const asked: unknown[] = [];
  const line = { sequence: 9, time: 1, level: "info", module: "node", message: "hello", fields: ["a=1"] };
  const { call } = reporting({
    logLines: (...args) => {
      asked.push(args);
      return [line];
    },
  });
  expect((await call("svcAdmin_getLogLines")).answer.result).toEqual([line]);
  await call("svcAdmin_getLogLines", [8, 500]);
  expect(asked).toEqual([
    [0, 200],
    [8, 500],
  ]);
  expect((await call("svcAdmin_getLogLines", [0, 501])).answer.error?.code).toBe(INVALID_PARAMS);
});

test("svcAdmin_getPendingTxSummaries answers numbers beyond 2^53 as text", async () => {
  const tx = { hash: new Uint8Array(32), feePayer: new Uint8Array(32), priorityFee: 2n ** 70n, feeLimit: 5n };
  const rest = { l2GasLimit: 6, forPublic: true, bytes: 70_000, receivedAt: undefined, expiration: 8n };
  const { call } = reporting({ pendingTxs: () => [{ ...tx, ...rest }] });
  const zero = `0x${"0".repeat(64)}`;
  expect((await call("svcAdmin_getPendingTxSummaries", [10])).answer.result).toEqual([
    {
      ...{ hash: zero, feePayer: zero, priorityFee: String(2n ** 70n), feeLimit: "5", expiration: "8" },
      ...{ l2GasLimit: 6, forPublic: true, bytes: 70_000 },
    },
  ]);
});

test("reports of health, options, peers, validators and missed duties are answered as the node gives them", async () => {
  const attester = `0x${"ab".repeat(20)}`;
  const peer = { id: "16Uiu2", ip: "10.0.0.1", inbound: true, connectedAt: 5, score: -1.5, gossipScore: 2 };
  const option = { name: "port", group: "RPC", flag: "--port", variable: "AZTEC_PORT", value: "1", origin: "default" };
  const missedDuties: AdminServices["missedDuties"] = () => [{ slot: 4, duty: "attest", reason: "late" }];
  const reports: Partial<AdminServices["reports"]> = {
    attesters: () => [attester],
    peers: () => [{ ...peer, state: "healthy", meshes: ["tx"], listed: false }],
    options: () => [{ ...option, meaning: "the port" }],
  };
  const { call } = reporting(reports, { missedDuties });
  const answers = await Promise.all(
    ["getAttesters", "getConnectedPeers", "getOptions", "getMissedDuties", "getHealth"].map(
      async (name) => (await call(`svcAdmin_${name}`)).answer.result,
    ),
  );
  expect(answers).toMatchObject([
    [attester],
    [{ ...peer, state: "healthy" }],
    [option],
    [{ slot: 4, duty: "attest", reason: "late" }],
    { components: [], lagBlocks: 0 },
  ]);
});
