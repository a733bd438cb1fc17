import type { Unit } from "./measurement.ts";
import type { Spread } from "./statistics.ts";

/** A number with three significant digits; whole numbers and numbers from 100 on have no fraction, and separators. */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size >= 100 || Number.isInteger(value)) return Math.round(value).toLocaleString("en");
  return size >= 10 ? value.toFixed(1) : value.toFixed(size >= 0.1 || size === 0 ? 2 : 4);
}

export function withUnit(value: number, unit: Unit): string {
  if (unit === "/s") return `${numberText(value)}/s`;
  return `${numberText(value)} ${unit}`;
}

/** "1.31 (1.28..1.35)" */
export function spreadText({ median, min, max }: Spread, unit = ""): string {
  return `${numberText(median)}${unit} (${numberText(min)}..${numberText(max)})`;
}
