import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GrowthPoint, SuiteResult } from "../lib/measurement.ts";
import { type Applied, inStateProcess, type Witnessed } from "../lib/state-processes.ts";
import { median } from "../lib/statistics.ts";
import type { SuiteContext } from "../lib/suite.ts";
import { FIGURES } from "../lib/targets.ts";

const FULL = { sizes: [10_000, 100_000, 1_000_000, 10_000_000], witnesses: 20_000, blocks: 20 };
const QUICK = { sizes: [1_000, 10_000], witnesses: 500, blocks: 2 };
const PER_BLOCK = 64;

/** How much more the largest tree costs than the smallest, over how much deeper it is: 1 where the cost is in proportion to log2. */
function overLogarithm(points: readonly GrowthPoint[], cost: (point: GrowthPoint) => number[]): number[] {
  const first = points[0];
  const last = points[points.length - 1];
  const deeper = Math.log2(last.leaves) / Math.log2(first.leaves);
  return cost(last).map((us) => us / median(cost(first)) / deeper);
}

/** What a witness and an insertion cost in trees of growing size, in CPU time, one process for each figure. */
export async function growthSuite({ quick, repeats, progress }: SuiteContext): Promise<SuiteResult> {
  const { sizes, witnesses, blocks } = quick ? QUICK : FULL;
  const growth: GrowthPoint[] = [];
  for (const leaves of sizes) {
    progress(`${leaves} leaves`);
    const directory = mkdtempSync(join(tmpdir(), "svc-bench-growth-"));
    try {
      await inStateProcess("fill", directory, leaves, 0);
      await inStateProcess("extend", directory, blocks, PER_BLOCK, 0);
      const point: GrowthPoint = { leaves, witnessUs: [], oldWitnessUs: [], insertionUs: [] };
      for (let i = 0; i < repeats; i++) {
        const { latestUs, oldUs } = await inStateProcess<Witnessed>("witnesses", directory, witnesses);
        point.witnessUs.push(latestUs);
        point.oldWitnessUs.push(oldUs);
        const applied = await inStateProcess<Applied>("apply", directory, blocks, PER_BLOCK, 0);
        point.insertionUs.push((applied.cpuMs * 1000) / applied.nullifiers);
      }
      growth.push(point);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }
  return {
    growth,
    measurements: [
      {
        kind: "figure",
        row: "growth",
        name: FIGURES.witnessGrowth,
        unit: "times",
        values: overLogarithm(growth, (point) => point.witnessUs),
      },
      {
        kind: "figure",
        row: "growth",
        name: FIGURES.insertionGrowth,
        unit: "times",
        values: overLogarithm(growth, (point) => point.insertionUs),
        note: "blocks of 64 nullifiers, up to the commit",
      },
    ],
  };
}
