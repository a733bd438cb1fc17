import type { Logger } from "../../telemetry/logger.ts";
import { counter } from "../../telemetry/metrics/metric-row.ts";
import type { Labels, Metrics } from "../../telemetry/metrics/metrics.ts";
import { dutySpans, type SpannedSlot } from "../../telemetry/otlp/duty-spans.ts";
import { type LogRecord, logsRequest } from "../../telemetry/otlp/logs-request.ts";
import { metricsRequest } from "../../telemetry/otlp/metrics-request.ts";
import type { LogQueue } from "../logging/log-queue.ts";
import { recordText } from "../logging/log-text.ts";
import type { OtlpClient } from "./otlp-client.ts";

export type OtlpSignal = "metrics" | "public metrics" | "logs" | "traces";

export const OTLP_METRICS = {
  exports: counter("svc.otlp.exports", {
    unit: "{request}",
    labels: { signal: "any", outcome: ["ok", "failed"] },
    meaning: "requests to OpenTelemetry collectors by signal (metrics, public metrics, logs, traces)",
  }),
  droppedLines: counter("svc.otlp.dropped_log_lines", {
    unit: "{line}",
    meaning: "lines of the log that were not exported because too many waited",
  }),
} as const;

export interface OtlpExportOptions {
  client: Pick<OtlpClient, "name" | "send">;
  signal: OtlpSignal;
  intervalMs: number;
  /** The bodies of an export's requests, each asked for when the one before was sent. */
  bodies(): Iterable<object>;
  metrics: Metrics;
  logger: Logger;
}

/** Milliseconds between two lines of the log about a collector that fails. */
const MS_BETWEEN_FAILURES = 60_000;
/** Most of a stop, which waits for the last export. */
const STOP_MS = 3_000;

/** Sends one signal to a collector, again and again. What cannot be sent is given up. */
export class OtlpExport {
  readonly #options: OtlpExportOptions;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();
  #isBusy = false;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(options: OtlpExportOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => void this.flush(), this.#options.intervalMs);
    this.#timer.unref();
  }

  /** Sends what there is now, unless an export is under way. Never rejects. */
  flush(): Promise<void> {
    if (this.#isBusy) return this.#sending;
    this.#isBusy = true;
    this.#sending = this.#send().finally(() => {
      this.#isBusy = false;
    });
    return this.#sending;
  }

  /** Sends the rest, for some seconds at most. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const limit = setTimeout(() => this.#stopping.abort(), STOP_MS);
    await this.#sending;
    await this.flush();
    clearTimeout(limit);
  }

  async #send(): Promise<void> {
    const { client, signal, bodies, metrics, logger } = this.#options;
    const exports = metrics.counter(OTLP_METRICS.exports);
    try {
      for (const body of bodies()) {
        await client.send(body, this.#stopping.signal);
        exports.add(1, { signal, outcome: "ok" });
      }
    } catch (error) {
      exports.add(1, { signal, outcome: "failed" });
      if (this.#stopping.signal.aborted || performance.now() - this.#failedAt < MS_BETWEEN_FAILURES) return;
      this.#failedAt = performance.now();
      const reason = error instanceof Error ? error.message : String(error);
      logger.warn(
        { signal, collector: client.name, reason },
        "{signal} could not be sent to the collector {collector}",
      );
    }
  }
}

/** One request with all metrics that are wanted. */
export function metricsBodies(
  metrics: Metrics,
  resource: Labels,
  wanted: (name: string) => boolean,
): OtlpExportOptions["bodies"] {
  return function* () {
    // The target's labels are the resource.
    const families = metrics.collect().filter(({ row }) => row.name !== "target_info" && wanted(row.name));
    if (families.length > 0) yield metricsRequest(families, { resource, since: metrics.since, at: Date.now() });
  };
}

/** Lines of a request. */
const MAX_LINES = 1024;

export function logBodies(queue: LogQueue, resource: Labels): OtlpExportOptions["bodies"] {
  return function* () {
    for (let lines = queue.take(MAX_LINES); lines.length > 0; lines = queue.take(MAX_LINES)) {
      yield logsRequest(lines.map(logRecord), resource);
    }
  };
}

function logRecord(line: string): LogRecord {
  const record = JSON.parse(line) as Record<string, unknown>;
  const { time, level, msg: _msg, pid: _pid, hostname: _hostname, ...facts } = record;
  return { time: Number(time), level: Number(level), text: recordText(record), facts };
}

/** Slots of a request; those that wait beyond it are dropped, the oldest first. */
const MAX_SLOTS = 64;

/** Collects the slots that are over, and gives their spans. */
export class SlotSpans {
  readonly #resource: Labels;
  #slots: SpannedSlot[] = [];

  constructor(resource: Labels) {
    this.#resource = resource;
  }

  add(slot: SpannedSlot): void {
    this.#slots = [...this.#slots, slot].slice(-MAX_SLOTS);
  }

  *bodies(): Iterable<object> {
    const slots = this.#slots;
    this.#slots = [];
    if (slots.length > 0) yield dutySpans(slots, this.#resource);
  }
}
