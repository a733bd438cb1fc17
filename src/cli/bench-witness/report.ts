import type { LatenciesUs, TreeFigures, WitnessFigures } from "./measure.ts";

const LATENCY_COLUMNS: (keyof LatenciesUs)[] = ["p50", "p90", "p99", "p99.9", "max"];

const rateText = (perSecond: number) => Math.round(perSecond).toLocaleString("en");
const latencyText = (us: number) => (us >= 100 ? Math.round(us).toLocaleString("en") : us.toFixed(1));

/** The results as a text table, with a description of what was measured. */
export function witnessReport(figures: WitnessFigures): string {
  const { dataDirectory, l1ChainId, rollupVersion, block, tip, oldest, threads, seconds, trees, skipped, total } =
    figures;
  const line = (name: string, { witnesses, perSecond, latencyUs }: TreeFigures): string[] => [
    name,
    witnesses.toLocaleString("en"),
    rateText(perSecond),
    ...LATENCY_COLUMNS.map((column) => latencyText(latencyUs[column])),
  ];
  const rows = [
    ["tree", "witnesses", "per second", ...LATENCY_COLUMNS.map((column) => `${column} µs`)],
    ...Object.entries(trees).map(([name, of]) => line(name, of)),
    line("all", total),
  ];
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  const table = rows.map((row) =>
    row.map((text, i) => (i === 0 ? text.padEnd(widths[i]) : text.padStart(widths[i]))).join("  "),
  );
  const kept = `states of blocks ${oldest} to ${tip} are kept`;
  return [
    `${dataDirectory}: L1 chain ${l1ChainId}, rollup version ${rollupVersion}, ${kept}`,
    `witnesses as of block ${block}, ${tip - block} behind the tip; ${threads} ${threads === 1 ? "thread" : "threads"}, ${seconds} s`,
    ...(skipped.length > 0 ? [`without ${skipped.join(", ")}: no leaf yet`] : []),
    "",
    ...table,
    "",
  ].join("\n");
}
