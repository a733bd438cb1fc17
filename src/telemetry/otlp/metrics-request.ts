import type { MetricRow } from "../metrics/metric-row.ts";
import type { Labels, MetricFamily, MetricSeries } from "../metrics/metrics.ts";
import { keyValues, nanoseconds, SCOPE } from "./values.ts";

interface MetricsRequestOptions {
  resource: Labels;
  /** Unix milliseconds since which counters count. */
  since: number;
  /** Unix milliseconds of the collection. */
  at: number;
}

const CUMULATIVE = 2;

/** Body of an OTLP request with metrics: ExportMetricsServiceRequest, as JSON. */
export function metricsRequest(families: readonly MetricFamily[], options: MetricsRequestOptions): object {
  const metrics = families.map(({ row, series }) => ({
    name: row.name,
    description: row.meaning,
    unit: row.unit,
    ...dataOf(row, series, options),
  }));
  return {
    resourceMetrics: [
      { resource: { attributes: keyValues(options.resource) }, scopeMetrics: [{ scope: SCOPE, metrics }] },
    ],
  };
}

function dataOf(row: MetricRow, series: readonly MetricSeries[], { since, at }: MetricsRequestOptions): object {
  const times = { startTimeUnixNano: nanoseconds(since), timeUnixNano: nanoseconds(at) };
  if (row.kind === "histogram") {
    const dataPoints = series.flatMap((one) => {
      if (!("distribution" in one)) return [];
      const { counts, sum } = one.distribution;
      return {
        attributes: keyValues(one.labels),
        ...times,
        count: String(counts.reduce((all, count) => all + count, 0)),
        sum,
        bucketCounts: counts.map(String),
        explicitBounds: row.bounds,
      };
    });
    return { histogram: { aggregationTemporality: CUMULATIVE, dataPoints } };
  }
  const dataPoints = series.flatMap((one) =>
    "value" in one ? { attributes: keyValues(one.labels), ...times, asDouble: one.value } : [],
  );
  if (row.kind === "gauge") return { gauge: { dataPoints } };
  return { sum: { aggregationTemporality: CUMULATIVE, isMonotonic: row.kind === "counter", dataPoints } };
}
