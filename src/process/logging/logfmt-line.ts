import { listed, quoted, type SpokenFact, spoken, spokenLine } from "./log-text.ts";

/** Keys have no quotes, spaces or equals signs; a list is one text, so that its quotes are around it. */
const field = ([name, value]: SpokenFact): string =>
  `${name.replace(/[\s"=]+/g, "-")}=${quoted(listed(value, spoken))}`;

/**
 * A JSON log line in the logfmt form (https://brandur.org/logfmt): `time=... level=... module=... msg="..."` and the
 * fields that the sentence does not name. The time is in UTC (RFC 3339).
 */
export function logfmtLine(line: string): string {
  const { time, level, module, message, fields } = spokenLine(line, field);
  const head = [`time=${new Date(time).toISOString()}`, `level=${level}`, `module=${module}`, `msg=${quoted(message)}`];
  return `${[...head, ...fields].join(" ")}\n`;
}
