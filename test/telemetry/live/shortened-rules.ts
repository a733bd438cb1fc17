/** Metrics whose thresholds in the rules are seconds. */
const TIMES = ["svc_sync_block_age_seconds", "svc_sync_l1_age_seconds"];
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/**
 * Alert rules with all their windows divided by `factor`, so that a test need not wait as long. No window gets shorter
 * than `minSeconds`, which should be some scrapes.
 */
export function shortenedRules(rules: string, factor: number, minSeconds: number): string {
  const seconds = (count: string, unit: string): string =>
    `${Math.max(minSeconds, Math.round((Number(count) * UNITS[unit]) / factor))}s`;
  const windows = rules
    .replaceAll(/\[(\d+)([smh])\]/g, (_, count, unit) => `[${seconds(count, unit)}]`)
    .replaceAll(/^(\s+for: )(\d+)([smh])$/gm, (_, start, count, unit) => start + seconds(count, unit));
  return TIMES.reduce(
    (text, metric) =>
      text.replaceAll(
        new RegExp(`(${metric} > )(\\d+)`, "g"),
        (_, start, limit) => start + Math.max(minSeconds, Math.round(Number(limit) / factor)),
      ),
    windows,
  );
}
