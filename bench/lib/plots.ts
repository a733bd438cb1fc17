import { decadeTicks, linearTicks, linePlot } from "./line-plot.ts";
import type { GrowthPoint, LatencyCurve, Run } from "./measurement.ts";
import { spreadOf } from "./statistics.ts";

function leavesText(leaves: number): string {
  if (leaves >= 1e6) return `${leaves / 1e6}M`;
  return leaves >= 1000 ? `${leaves / 1000}k` : String(leaves);
}

function growthPlot(
  title: string,
  growth: GrowthPoint[],
  costs: [name: string, of: (point: GrowthPoint) => number[] | undefined][],
): string {
  const drawn = costs.map(([name, of]) => ({
    name,
    points: growth.flatMap((point) => {
      const values = of(point);
      if (values === undefined) return [];
      const { median, min, max } = spreadOf(values);
      return [{ x: point.leaves, y: median, low: min, high: max }];
    }),
  }));
  const series = drawn.filter(({ points }) => points.length > 0);
  const most = Math.max(...series.flatMap(({ points }) => points.map(({ high }) => high)));
  const sizes = growth.map(({ leaves }) => leaves);
  return linePlot({
    title,
    x: { label: "leaves", scale: "log", ticks: decadeTicks(sizes, leavesText) },
    y: { label: "µs of CPU time", scale: "linear", ticks: linearTicks(most * 1.2) },
    series,
  });
}

/** Percentiles are drawn on a scale of rarity: each step is ten times as rare. */
const rarity = (percentile: number) => 100 / (100 - percentile);

function latencyPlot(latencies: LatencyCurve[]): string {
  const shown = latencies.map(({ name, points }) => ({
    name,
    points: points.filter(([p]) => p < 100).map(([p, ms]) => ({ x: rarity(p), y: Math.max(ms, 0.001) })),
  }));
  const all = shown.flatMap(({ points }) => points.map(({ y }) => y));
  return linePlot({
    title: "Latencies by percentile",
    x: {
      label: "percentile",
      scale: "log",
      ticks: [0, 90, 99, 99.9, 99.99].map((p) => ({ at: rarity(p), text: String(p) })),
    },
    y: { label: "ms", scale: "log", ticks: decadeTicks(all, String) },
    series: shown,
  });
}

/** The plots of a run, by file name. */
export function plotsOf(run: Run): Record<string, string> {
  const plots: Record<string, string> = {};
  for (const { growth } of Object.values(run.suites)) {
    if (growth === undefined) continue;
    plots["growth-witness.svg"] = growthPlot("Cost of a low-leaf witness", growth, [
      ["latest block", (point) => point.witnessUs],
      ["historical block", (point) => point.oldWitnessUs],
      ["store's search for a key alone", (point) => point.searchUs],
      ["store's read of a tile alone", (point) => point.tileUs],
    ]);
    plots["growth-insertion.svg"] = growthPlot("Cost of inserting a nullifier, blocks of 64", growth, [
      ["insertion with commit", (point) => point.insertionUs],
    ]);
  }
  const latencies = Object.values(run.suites).flatMap((suite) => suite.latencies ?? []);
  if (latencies.length > 0) plots["latencies.svg"] = latencyPlot(latencies);
  return plots;
}
