import { spokenLine } from "./log-text.ts";

const quoted = (text: string): string => (/^[^\s"=]+$/.test(text) ? text : JSON.stringify(text));

/**
 * A JSON log line in the logfmt form (https://brandur.org/logfmt): `time=... level=... module=... msg="..."` and the
 * fields that the sentence does not name. The time is in UTC (RFC 3339).
 */
export function logfmtLine(line: string): string {
  const { time, level, module, message, fields } = spokenLine(line);
  const head = [`time=${new Date(time).toISOString()}`, `level=${level}`, `module=${module}`, `msg=${quoted(message)}`];
  return `${[...head, ...fields].join(" ")}\n`;
}
