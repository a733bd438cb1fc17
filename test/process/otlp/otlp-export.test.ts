import { afterEach, beforeEach, expect, test } from "vitest";
import { configure } from "../../../src/config/configuration.ts";
import { parseLogFilter } from "../../../src/config/kinds/log-filter.ts";
import { partValues } from "../../../src/config/part-values.ts";
import { LogQueue } from "../../../src/process/logging/log-queue.ts";
import { createLogging } from "../../../src/process/logging/logging.ts";
import { OtlpClient } from "../../../src/process/otlp/otlp-client.ts";
import { logBodies, metricsBodies, OtlpExport, type OtlpExportOptions } from "../../../src/process/otlp/otlp-export.ts";
import { nodeResource } from "../../../src/process/otlp/resource.ts";
import { startOtlpExports } from "../../../src/process/otlp/start-exports.ts";
import type { Logger } from "../../../src/telemetry/logger.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { counter, gauge, histogram, upDownCounter } from "../../../src/telemetry/metrics/metric-row.ts";
import { Metrics } from "../../../src/telemetry/metrics/metrics.ts";
import { Collector } from "../../world/telemetry/collector.ts";

const RESOURCE = { "service.name": "aztec-node", "service.instance.id": "7" };
let collector: Collector;
let metrics: Metrics;

beforeEach(async () => {
  collector = await Collector.start();
  metrics = new Metrics((error) => {
    throw error;
  });
});
afterEach(() => collector.stop());

function exporting(path: string, bodies: OtlpExportOptions["bodies"], logger: Logger = silentLogger): OtlpExport {
  const client = new OtlpClient(collector.url(path), 2_000);
  return new OtlpExport({ client, signal: "metrics", intervalMs: 60_000, bodies, metrics, logger });
}

test("a collector receives counters, gauges and histograms under their dotted names, with resource and labels", async () => {
  metrics
    .counter(counter("svc.calls", { unit: "{call}", labels: { by: "any" }, meaning: "calls" }))
    .add(3, { by: "a" });
  metrics.counter(upDownCounter("aztec.count", { meaning: "count" })).add(2);
  metrics.gauge(gauge("aztec.height", { unit: "By", meaning: "height" })).set(1.5);
  const times = metrics.histogram(histogram("aztec.time", { unit: "ms", bounds: [1, 5], meaning: "time" }));
  for (const ms of [0.5, 4, 9]) times.record(ms);
  await exporting(
    "/v1/metrics",
    metricsBodies(metrics, RESOURCE, () => true),
  ).flush();
  expect(collector.faults).toEqual([]);
  const [request] = collector.to("/v1/metrics");
  expect(request.resource).toEqual(RESOURCE);
  expect(request.metrics).toEqual([
    { name: "aztec.count", unit: "", kind: "sum", monotonic: false, points: [{ attributes: {}, value: 2 }] },
    { name: "aztec.height", unit: "By", kind: "gauge", monotonic: undefined, points: [{ attributes: {}, value: 1.5 }] },
    {
      ...{ name: "aztec.time", unit: "ms", kind: "histogram", monotonic: undefined },
      points: [{ attributes: {}, counts: [1, 1, 1], bounds: [1, 5], sum: 13.5 }],
    },
    {
      name: "svc.calls",
      unit: "{call}",
      kind: "sum",
      monotonic: true,
      points: [{ attributes: { by: "a" }, value: 3 }],
    },
  ]);
});

test("a collector receives lines of the log with their sentence, level and facts, and no secrets", async () => {
  const queue = new LogQueue();
  const log = createLogging({
    ...{ filter: parseLogFilter("debug"), json: false, secrets: ["hunter2"], exported: queue },
    write: () => {},
  })("p2p");
  log.warn({ peers: 2, url: "http://hunter2@x", nested: { depth: 1n } }, "connected to {peers:peer}");
  log.debug({}, "quiet");
  await exporting("/v1/logs", logBodies(queue, RESOURCE)).flush();
  expect(collector.faults).toEqual([]);
  const logs = collector.to("/v1/logs").flatMap((request) => request.logs);
  expect(logs).toEqual([
    {
      ...{ time: expect.any(Number), severity: 13, body: "connected to 2 peers" },
      attributes: { module: "p2p", peers: 2, url: "http://[Redacted]@x", nested: { depth: "1" } },
    },
    { time: expect.any(Number), severity: 5, body: "quiet", attributes: { module: "p2p" } },
  ]);
});

test("a queue of lines that nobody takes drops its oldest, and counts them", () => {
  const queue = new LogQueue();
  for (let i = 0; i < 10_000; i++) queue.push(String(i));
  expect(queue.size).toBeLessThanOrEqual(4096);
  expect(queue.dropped + queue.size).toBe(10_000);
  expect(queue.take(10_000).at(-1)).toBe("9999");
});

test("a slot that is over becomes a trace with a span for each duty", async () => {
  const values = valuesOf({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.url("/v1/traces") });
  const exports = startOtlpExports({ values, resource: RESOURCE, metrics, loggerFor: quiet });
  const start = 1_700_000_000_000;
  exports.slotEnded?.({
    ...{ slot: 9, start },
    duties: [
      { duty: "propose block", index: 1, due: 800, steps: { built: -200, sent: 900 } },
      { duty: "attest", index: undefined, due: undefined, steps: { received: 100, signed: 160 } },
    ],
  });
  await exports.stop();
  expect(collector.faults).toEqual([]);
  const spans = collector.to("/v1/traces").flatMap((request) => request.spans);
  const [slot, propose, attest] = spans;
  expect(slot).toMatchObject({ name: "slot", ms: 1100, parentSpanId: undefined });
  expect(propose).toMatchObject({
    ...{ name: "propose block", ms: 1100, events: ["built", "sent"], error: true, parentSpanId: slot.spanId },
    attributes: { "aztec.slot.number": 9, "svc.duty.index": 1, "svc.duty.due_ms": 800 },
  });
  expect(attest).toMatchObject({ name: "attest", ms: 60, error: false, traceId: slot.traceId });
});

test("prefixes say which metrics the operator's collector gets, and which are public", async () => {
  for (const name of ["aztec.a", "aztec.b", "svc.c"]) metrics.gauge(gauge(name, { meaning: name })).set(1);
  const sent = async (changes: Record<string, string>): Promise<Record<string, string[]>> => {
    collector.requests.length = 0;
    const exports = startOtlpExports({
      values: valuesOf({
        OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: collector.url("/own"),
        PUBLIC_OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: collector.url("/public"),
        ...changes,
      }),
      ...{ resource: RESOURCE, metrics, loggerFor: quiet },
    });
    await exports.stop();
    const names = (path: string) =>
      collector.to(path).flatMap((request) => request.metrics.flatMap(({ name }) => (/otlp/.test(name) ? [] : [name])));
    return { own: names("/own"), public: names("/public") };
  };
  expect(await sent({})).toEqual({ own: ["aztec.a", "aztec.b", "svc.c"], public: [] });
  expect(await sent({ OTEL_INCLUDE_METRICS: "aztec." })).toMatchObject({ own: ["aztec.a", "aztec.b"] });
  expect(await sent({ OTEL_EXCLUDE_METRICS: "aztec.a", OTEL_INCLUDE_METRICS: "aztec." })).toMatchObject({
    own: ["aztec.b", "svc.c"],
  });
  const shared = { PUBLIC_OTEL_OPT_OUT: "false", PUBLIC_OTEL_INCLUDE_METRICS: "aztec.b" };
  expect(await sent({ ...shared, PUBLIC_OTEL_COLLECT_FROM: "sequencer" })).toMatchObject({ public: [] });
  expect(await sent({ ...shared, PUBLIC_OTEL_COLLECT_FROM: "node" })).toMatchObject({ public: ["aztec.b"] });
  expect(await sent({ ...shared, PUBLIC_OTEL_COLLECT_FROM: "node", PUBLIC_OTEL_OPT_OUT: "true" })).toMatchObject({
    public: [],
  });
});

test("a collector that fails is named once in the log, without its password, and the export goes on", async () => {
  metrics.gauge(gauge("aztec.height", { meaning: "height" })).set(1);
  const warnings: object[] = [];
  collector.failWith = 400;
  const url = collector.url("/v1/metrics").replace("http://", "http://me:hunter2@");
  const client = new OtlpClient(url, 2_000);
  const logger = { ...silentLogger, warn: (facts: object) => warnings.push(facts) };
  const bodies = metricsBodies(metrics, RESOURCE, () => true);
  const running = new OtlpExport({ client, signal: "metrics", intervalMs: 60_000, bodies, metrics, logger });
  await running.flush();
  await running.flush();
  expect(warnings).toEqual([expect.objectContaining({ reason: "HTTP status 400: {}" })]);
  expect(JSON.stringify(warnings)).not.toContain("hunter2");
  collector.failWith = undefined;
  await running.flush();
  expect(collector.to("/v1/metrics")).toHaveLength(1);
});

test("attributes of OTEL_RESOURCE_ATTRIBUTES win over the node's own, and a wrong pair is named", () => {
  const directory = { path: "", temporary: true };
  const resource = (otelResourceAttributes: string) =>
    nodeResource(valuesOf({ OTEL_RESOURCE_ATTRIBUTES: otelResourceAttributes }, [["--sequencer", "true"]]), {
      directory,
      version: "1.2.3",
    });
  expect(resource("service.name=mine, deployment.environment=a%2Cb")).toMatchObject({
    "service.name": "mine",
    "service.version": "1.2.3",
    "aztec.node_role": "sequencer",
    "deployment.environment": "a,b",
  });
  expect(() => resource("a=1,b")).toThrow("item 2 is none");
  expect(() => resource("a=%zz")).toThrow("the value of a is not");
});

const valuesOf = (environment: Record<string, string>, flags: [string, string][] = []) =>
  partValues(configure({ flags: new Map(flags), environment: { PUBLIC_OTEL_OPT_OUT: "true", ...environment } }).values);
const quiet = createLogging({ filter: parseLogFilter("silent"), json: true, secrets: [] });
