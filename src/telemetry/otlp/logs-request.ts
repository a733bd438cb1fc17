import type { Labels } from "../metrics/metrics.ts";
import { keyValues, nanoseconds, SCOPE } from "./values.ts";

/** Severity numbers of OTLP by pino's levels; verbose is one of debug's. */
const SEVERITIES: Readonly<Record<number, { number: number; text: string }>> = {
  10: { number: 1, text: "trace" },
  20: { number: 5, text: "debug" },
  25: { number: 7, text: "verbose" },
  30: { number: 9, text: "info" },
  40: { number: 13, text: "warn" },
  50: { number: 17, text: "error" },
  60: { number: 21, text: "fatal" },
};

/** A line of the log. */
export interface LogRecord {
  /** Unix milliseconds. */
  time: number;
  /** As pino numbers levels. */
  level: number;
  /** What the line says to a reader. */
  text: string;
  facts: object;
}

/** Body of an OTLP request with logs: ExportLogsServiceRequest, as JSON. */
export function logsRequest(records: readonly LogRecord[], resource: Labels): object {
  const logRecords = records.map(({ time, level, text, facts }) => {
    const at = nanoseconds(time);
    const severity = SEVERITIES[level];
    return {
      timeUnixNano: at,
      observedTimeUnixNano: at,
      ...(severity && { severityNumber: severity.number, severityText: severity.text }),
      body: { stringValue: text },
      attributes: keyValues(facts),
    };
  });
  return {
    resourceLogs: [{ resource: { attributes: keyValues(resource) }, scopeLogs: [{ scope: SCOPE, logRecords }] }],
  };
}
