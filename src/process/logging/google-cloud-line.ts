/**
 * Severities of levels, by the name of each
 * (https://cloud.google.com/logging/docs/reference/v2/rest/v2/LogEntry#LogSeverity).
 */
const SEVERITIES: readonly (readonly [least: number, severity: string])[] = [
  [60, "CRITICAL"],
  [50, "ERROR"],
  [40, "WARNING"],
  [30, "INFO"],
];

/**
 * A JSON log line with the field names of Google Cloud Logging
 * (https://cloud.google.com/logging/docs/structured-logging): `severity`, `message` in place of `msg`, and `timestamp`
 * (RFC 3339) beside `time`.
 */
export function googleCloudLine(line: string): string {
  const { level, time, msg, ...fields } = JSON.parse(line) as { level: number; time: number; msg?: string };
  const severity = SEVERITIES.find(([least]) => level >= least)?.[1] ?? "DEBUG";
  const timestamp = new Date(time).toISOString();
  return `${JSON.stringify({ severity, level, time, timestamp, ...fields, message: msg })}\n`;
}
