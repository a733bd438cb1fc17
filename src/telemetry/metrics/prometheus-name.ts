import type { MetricRow } from "./metric-row.ts";

/** Words of the OpenTelemetry Collector's Prometheus exporter for units; others stay as they are. */
const UNITS: Readonly<Record<string, string>> = {
  d: "days",
  h: "hours",
  min: "minutes",
  s: "seconds",
  ms: "milliseconds",
  us: "microseconds",
  ns: "nanoseconds",
  By: "bytes",
  "%": "percent",
  "1": "",
};
const PER_UNITS: Readonly<Record<string, string>> = { s: "second", m: "minute", h: "hour", d: "day" };

/**
 * A metric's name as the OpenTelemetry Collector's Prometheus exporter spells it (its rules: "OpenTelemetry to
 * Prometheus" of the OpenTelemetry specification, section "Metric Metadata"): dots become underscores, the unit is
 * appended unless the name has it, counters end in `_total`, gauges of unit 1 in `_ratio`.
 */
export function prometheusName({ name, unit, kind }: Pick<MetricRow, "name" | "unit" | "kind">): string {
  const tokens = name.split(/[^A-Za-z0-9]+/).filter((token) => token !== "");
  const [main, per] = unit.split("/", 2);
  const mainWord = unitWord(main, UNITS);
  if (mainWord !== "" && !tokens.includes(mainWord)) tokens.push(mainWord);
  const perWord = per === undefined ? "" : unitWord(per, PER_UNITS);
  if (perWord !== "" && !tokens.includes(perWord)) tokens.push("per", perWord);
  const ending = kind === "counter" ? "total" : kind === "gauge" && unit === "1" ? "ratio" : undefined;
  const words = ending === undefined ? tokens : [...tokens.filter((token) => token !== ending), ending];
  return words.join("_");
}

/** Annotations in braces, such as {call}, are no unit. */
function unitWord(unit: string, words: Readonly<Record<string, string>>): string {
  if (/[{}]/.test(unit)) return "";
  return (words[unit] ?? unit).replace(/[^A-Za-z0-9]+/g, "_");
}

/** A label's name as the Collector spells it. */
export function prometheusLabel(label: string): string {
  const name = label.replace(/[^A-Za-z0-9_]/g, "_");
  return /^\d/.test(name) ? `key_${name}` : name;
}
