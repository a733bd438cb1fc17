import type { MetricKind } from "./metric-row.ts";
import type { Labels, MetricFamily, MetricSeries } from "./metrics.ts";
import { prometheusLabel, prometheusName } from "./prometheus-name.ts";

export const PROMETHEUS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

const TYPES: Readonly<Record<MetricKind, string>> = {
  counter: "counter",
  // The Collector exports what may shrink as a gauge.
  upDownCounter: "gauge",
  gauge: "gauge",
  histogram: "histogram",
};

/** Metrics in Prometheus's text format 0.0.4. */
export function prometheusText(families: readonly MetricFamily[]): string {
  const lines: string[] = [];
  for (const { row, series } of families) {
    const name = prometheusName(row);
    lines.push(`# HELP ${name} ${escapedHelp(row.meaning)}`, `# TYPE ${name} ${TYPES[row.kind]}`);
    for (const one of series) writeSeries(lines, name, row.bounds, one);
  }
  lines.push("");
  return lines.join("\n");
}

function writeSeries(lines: string[], name: string, bounds: readonly number[], series: MetricSeries): void {
  const labels = labelTexts(series.labels);
  if ("value" in series) {
    lines.push(`${name}${braced(labels)} ${series.value}`);
    return;
  }
  const { counts, sum } = series.distribution;
  let upTo = 0;
  for (const [bucket, count] of counts.entries()) {
    upTo += count;
    const bound = bucket < bounds.length ? String(bounds[bucket]) : "+Inf";
    lines.push(`${name}_bucket${braced([...labels, `le="${bound}"`])} ${upTo}`);
  }
  lines.push(`${name}_sum${braced(labels)} ${sum}`, `${name}_count${braced(labels)} ${upTo}`);
}

function braced(labels: readonly string[]): string {
  return labels.length === 0 ? "" : `{${labels.join(",")}}`;
}

function labelTexts(labels: Labels): string[] {
  return Object.entries(labels).map(([label, value]) => `${prometheusLabel(label)}="${escapedValue(value)}"`);
}

function escapedHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function escapedValue(text: string): string {
  return escapedHelp(text).replaceAll('"', '\\"');
}
