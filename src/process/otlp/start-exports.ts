import type { PartValues } from "../../config/part-values.ts";
import type { Labels, Metrics } from "../../telemetry/metrics/metrics.ts";
import type { SpannedSlot } from "../../telemetry/otlp/duty-spans.ts";
import type { LoggerFor } from "../logging/logging.ts";
import { Teardown } from "../teardown.ts";
import { OtlpClient } from "./otlp-client.ts";
import {
  logBodies,
  metricsBodies,
  OTLP_METRICS,
  OtlpExport,
  type OtlpExportOptions,
  type OtlpSignal,
  SlotSpans,
} from "./otlp-export.ts";
import { nodeRole } from "./resource.ts";

interface OtlpOptions {
  values: PartValues;
  resource: Labels;
  metrics: Metrics;
  loggerFor: LoggerFor;
}

interface OtlpExports {
  /** Takes slots that are over; undefined if no traces are exported. */
  readonly slotEnded: ((slot: SpannedSlot) => void) | undefined;
  stop(): Promise<void>;
}

/** Lines and spans wait this long for their export, in milliseconds. */
const BATCH_MS = 2_000;

/** Public metrics are for listed roles only, and nobody shares them without asking for it. */
function publicCollector(values: PartValues): string | undefined {
  const { url, optOut, roles } = values.otlp.public;
  return optOut || !roles.includes(nodeRole(values.modes)) ? undefined : url;
}

/** Which metrics the operator's collector gets: a list of what to leave out wins over one of what to send. */
function wantedMetrics({
  exclude,
  include,
}: Pick<PartValues["otlp"], "exclude" | "include">): (name: string) => boolean {
  if (exclude.length > 0) return (name) => !exclude.some((prefix) => name.startsWith(prefix));
  if (include.length > 0) return (name) => include.some((prefix) => name.startsWith(prefix));
  return () => true;
}

/** Starts what is exported to OpenTelemetry collectors, where they are configured. */
export function startOtlpExports({ values, resource, metrics, loggerFor }: OtlpOptions): OtlpExports {
  const logger = loggerFor("telemetry");
  const teardown = new Teardown(logger);
  const start = (signal: OtlpSignal, url: string, rest: Pick<OtlpExportOptions, "intervalMs" | "bodies">): void => {
    const client = new OtlpClient(url, values.otlp.timeoutMs);
    const running = new OtlpExport({ client, signal, metrics, logger, ...rest });
    running.start();
    teardown.add(`export of ${signal}`, () => running.stop());
    logger.info({ signal, collector: client.name }, "exporting {signal} to the collector {collector}");
  };
  const {
    metricsUrl: metricsCollectorUrl,
    tracesUrl: tracesCollectorUrl,
    logsUrl: logsCollectorUrl,
    intervalMs,
  } = values.otlp;
  const { exported } = loggerFor;
  if (logsCollectorUrl !== undefined && exported !== undefined) {
    metrics.observe((to) => to.set(OTLP_METRICS.droppedLines, exported.dropped));
    start("logs", logsCollectorUrl, { intervalMs: BATCH_MS, bodies: logBodies(exported, resource) });
  }
  const spans = tracesCollectorUrl === undefined ? undefined : new SlotSpans(resource);
  if (tracesCollectorUrl !== undefined && spans !== undefined) {
    start("traces", tracesCollectorUrl, { intervalMs: BATCH_MS, bodies: () => spans.bodies() });
  }
  if (metricsCollectorUrl !== undefined) {
    const bodies = metricsBodies(metrics, resource, wantedMetrics(values.otlp));
    start("metrics", metricsCollectorUrl, { intervalMs, bodies });
  }
  const publicUrl = publicCollector(values);
  if (publicUrl !== undefined) {
    const { include: prefixes } = values.otlp.public;
    const bodies = metricsBodies(metrics, resource, (name) => prefixes.some((prefix) => name.startsWith(prefix)));
    start("public metrics", publicUrl, { intervalMs, bodies });
  }
  return { slotEnded: spans && ((slot) => spans.add(slot)), stop: () => teardown.run() };
}
