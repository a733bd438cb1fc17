import { boolean, listOf, text } from "../kinds/kinds.ts";
import { integer, MAX_MILLISECONDS } from "../kinds/number-kinds.ts";
import { rowsOf } from "../kinds/option.ts";
import { httpUrl } from "../kinds/url-kinds.ts";

const rows = rowsOf("Telemetry", "telemetry");

export const telemetry = {
  metricsCollectorUrl: rows.optional({
    flags: ["--tel.metricsCollectorUrl"],
    env: ["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"],
    kind: httpUrl,
    to: ["otlp.metricsUrl"],
    meaning: "OTLP endpoint for metrics (HTTP, JSON)",
  }),
  tracesCollectorUrl: rows.optional({
    flags: ["--tel.tracesCollectorUrl"],
    env: ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"],
    kind: httpUrl,
    to: ["otlp.tracesUrl"],
    meaning: "OTLP endpoint for traces (HTTP, JSON): the duties of each slot with their steps",
  }),
  logsCollectorUrl: rows.optional({
    flags: ["--tel.logsCollectorUrl"],
    env: ["OTEL_EXPORTER_OTLP_LOGS_ENDPOINT"],
    kind: httpUrl,
    to: ["otlp.logsUrl"],
    meaning: "OTLP endpoint for logs (HTTP, JSON)",
  }),
  otelCollectIntervalMs: rows.withDefault(
    {
      flags: ["--tel.otelCollectIntervalMs"],
      env: ["OTEL_COLLECT_INTERVAL_MS"],
      kind: integer(1, MAX_MILLISECONDS),
      to: ["otlp.intervalMs"],
      meaning: "interval at which metrics are exported, in ms",
    },
    60000,
  ),
  otelExportTimeoutMs: rows.withDefault(
    {
      flags: ["--tel.otelExportTimeoutMs"],
      env: ["OTEL_EXPORT_TIMEOUT_MS"],
      kind: integer(1, MAX_MILLISECONDS),
      to: ["otlp.timeoutMs"],
      meaning: "timeout of one export, in ms",
    },
    30000,
  ),
  otelExcludeMetrics: rows.withDefault(
    {
      flags: ["--tel.otelExcludeMetrics"],
      env: ["OTEL_EXCLUDE_METRICS"],
      kind: listOf(text),
      to: ["otlp.exclude"],
      meaning: "metric name prefixes to drop",
    },
    [],
  ),
  otelIncludeMetrics: rows.withDefault(
    {
      flags: ["--tel.otelIncludeMetrics"],
      env: ["OTEL_INCLUDE_METRICS"],
      kind: listOf(text),
      to: ["otlp.include"],
      meaning: "metric name prefixes to keep; ignored if otelExcludeMetrics is set",
    },
    [],
  ),
  publicMetricsCollectorUrl: rows.optional({
    flags: ["--tel.publicMetricsCollectorUrl"],
    env: ["PUBLIC_OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"],
    kind: httpUrl,
    to: ["otlp.public.url"],
    meaning: "OTLP endpoint for public metrics",
  }),
  publicMetricsCollectFrom: rows.withDefault(
    {
      flags: ["--tel.publicMetricsCollectFrom"],
      env: ["PUBLIC_OTEL_COLLECT_FROM"],
      kind: listOf(text),
      to: ["otlp.public.roles"],
      meaning: "roles whose metrics are public",
    },
    [],
  ),
  publicIncludeMetrics: rows.withDefault(
    {
      flags: ["--tel.publicIncludeMetrics"],
      env: ["PUBLIC_OTEL_INCLUDE_METRICS"],
      kind: listOf(text),
      to: ["otlp.public.include"],
      meaning: "metric name prefixes to send as public metrics",
    },
    [],
  ),
  publicMetricsOptOut: rows.withDefault(
    {
      flags: ["--tel.publicMetricsOptOut"],
      env: ["PUBLIC_OTEL_OPT_OUT"],
      kind: boolean,
      to: ["otlp.public.optOut"],
      meaning: "do not send public metrics",
    },
    true,
  ),
  otelResourceAttributes: rows.optional({
    env: ["OTEL_RESOURCE_ATTRIBUTES"],
    kind: text,
    to: ["otlp.resourceAttributes"],
    meaning: "OpenTelemetry resource attributes, as key=value,...",
  }),
};
