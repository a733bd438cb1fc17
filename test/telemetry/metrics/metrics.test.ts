import { expect, test } from "vitest";
import { counter, gauge, histogram, upDownCounter } from "../../../src/telemetry/metrics/metric-row.ts";
import { MAX_SERIES, Metrics } from "../../../src/telemetry/metrics/metrics.ts";
import { startMetricsServer } from "../../../src/telemetry/metrics/metrics-server.ts";
import { prometheusText } from "../../../src/telemetry/metrics/prometheus-text.ts";

const noFailure = (error: unknown): void => {
  throw error;
};

test("counters, gauges and histograms are written in Prometheus's text format", () => {
  const metrics = new Metrics(noFailure);
  const blocks = metrics.counter(upDownCounter("a.blocks", { labels: { "a.ok": ["yes", "no"] }, meaning: "blocks" }));
  blocks.add(2, { "a.ok": "yes" });
  const times = metrics.histogram(histogram("b.times", { unit: "s", bounds: [0.5, 2], meaning: "times" }));
  for (const seconds of [0.5, 1, 7]) times.record(seconds);
  metrics.gauge(gauge("c.height", { meaning: "one line\nand a \\" })).set(12);
  metrics.observe((to) => to.set(counter("d.calls", { labels: { by: "any" }, meaning: "calls" }), 3, { by: 'a"b' }));
  expect(prometheusText(metrics.collect())).toBe(`# HELP a_blocks blocks
# TYPE a_blocks gauge
a_blocks{a_ok="yes"} 2
a_blocks{a_ok="no"} 0
# HELP b_times_seconds times
# TYPE b_times_seconds histogram
b_times_seconds_bucket{le="0.5"} 1
b_times_seconds_bucket{le="2"} 2
b_times_seconds_bucket{le="+Inf"} 3
b_times_seconds_sum 8.5
b_times_seconds_count 3
# HELP c_height one line\\nand a \\\\
# TYPE c_height gauge
c_height 12
# HELP d_calls_total calls
# TYPE d_calls_total counter
d_calls_total{by="a\\"b"} 3
`);
});

test("a part whose metrics fail does not hide those of the others", () => {
  const failures: unknown[] = [];
  const metrics = new Metrics((error) => failures.push(error));
  metrics.observe(() => {
    throw new Error("closed");
  });
  metrics.observe((to) => to.set(gauge("height", { meaning: "height" }), 3));
  expect(prometheusText(metrics.collect())).toContain("\nheight 3\n");
  expect(failures).toHaveLength(1);
});

test("a label that the row does not have is refused", () => {
  const metrics = new Metrics(noFailure);
  const calls = metrics.counter(counter("calls", { labels: { method: "any" }, meaning: "calls" }));
  expect(() => calls.add(1, { client: "127.0.0.1" })).toThrow("metric calls has no label client");
});

test("series beyond the limit of a metric are dropped and counted", () => {
  const metrics = new Metrics(noFailure);
  const calls = metrics.counter(counter("calls", { labels: { method: "any" }, meaning: "calls" }));
  for (let i = 0; i < MAX_SERIES + 5; i++) calls.add(1, { method: `m${i}` });
  const [family] = metrics.collect();
  expect(family.series).toHaveLength(MAX_SERIES);
  expect(metrics.dropped).toBe(5);
});

test("the port of metrics answers GET /metrics and nothing else", async () => {
  const metrics = new Metrics(noFailure);
  metrics.observe((to) => to.set(gauge("height", { meaning: "height" }), 3));
  const server = await startMetricsServer({ metrics, host: "127.0.0.1", port: 0 });
  try {
    const url = `http://127.0.0.1:${server.port}`;
    const answer = await fetch(`${url}/metrics`);
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(await answer.text()).toContain("height 3");
    expect((await fetch(`${url}/metrics`, { method: "POST", body: "x" })).status).toBe(405);
    expect((await fetch(`${url}/`)).status).toBe(404);
    await expect(startMetricsServer({ metrics, host: "127.0.0.1", port: server.port })).rejects.toThrow(
      `the port for metrics, 127.0.0.1:${server.port}, cannot be opened (EADDRINUSE)`,
    );
  } finally {
    await server.close();
  }
});
