import { rmSync } from "node:fs";
import type { Figure, GrowthPoint, SuiteResult } from "../lib/measurement.ts";
import { type Applied, inStateProcess, instructionsOf, type Witnessed } from "../lib/state-processes.ts";
import { median } from "../lib/statistics.ts";
import type { SuiteContext } from "../lib/suite.ts";
import { FIGURES } from "../lib/targets.ts";

const FULL = { witnesses: 100_000, blocks: 20 };
const QUICK = { witnesses: 500, blocks: 2 };
const PER_BLOCK = 64;

/** Figures that this suite measures at every size. */
type Reads = Required<Pick<GrowthPoint, "searchUs" | "tileUs">>;

/**
 * The cost ratio of the largest and the smallest tree, divided by their depth ratio: 1 if the cost is proportional to
 * log2.
 */
function overLogarithm(points: readonly GrowthPoint[], cost: (point: GrowthPoint) => number[]): number[] {
  const first = points[0];
  const last = points[points.length - 1];
  const deeper = Math.log2(last.leaves) / Math.log2(first.leaves);
  return cost(last).map((us) => us / median(cost(first)) / deeper);
}

/** Instructions of one witness: the difference between runs of `count` and twice as many, per witness. */
async function witnessInstructions(directory: string, count: number): Promise<number | undefined> {
  const once = await instructionsOf("latest-witnesses", directory, count);
  const twice = await instructionsOf("latest-witnesses", directory, 2 * count);
  return once === undefined || twice === undefined ? undefined : (twice - once) / count;
}

/** CPU time of a witness and of an insertion in trees of growing size; each figure comes from its own process. */
export async function growthSuite({ quick, repeats, states, progress }: SuiteContext): Promise<SuiteResult> {
  const { witnesses, blocks } = quick ? QUICK : FULL;
  const growth: (GrowthPoint & Reads)[] = [];
  for (const { directory, leaves } of await states.growing()) {
    progress(`${leaves} leaves`);
    try {
      const point: GrowthPoint & Reads = {
        leaves,
        witnessUs: [],
        oldWitnessUs: [],
        searchUs: [],
        tileUs: [],
        insertionUs: [],
      };
      for (let i = 0; i < repeats; i++) {
        const { latestUs, oldUs, searchUs, tileUs } = await inStateProcess<Witnessed>(
          "witnesses",
          directory,
          witnesses,
        );
        point.witnessUs.push(latestUs);
        point.oldWitnessUs.push(oldUs);
        point.searchUs.push(searchUs);
        point.tileUs.push(tileUs);
        const applied = await inStateProcess<Applied>("apply", directory, blocks, PER_BLOCK, 0);
        point.insertionUs.push((applied.cpuMs * 1000) / applied.nullifiers);
      }
      point.witnessInstructions = await witnessInstructions(directory, witnesses);
      growth.push(point);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }
  const isCounted = growth.every(({ witnessInstructions: of }) => of !== undefined);
  const instructions: Figure = {
    ...{ kind: "figure", row: "growth", name: FIGURES.witnessInstructionGrowth, unit: "times" },
    values: isCounted ? overLogarithm(growth, ({ witnessInstructions: of = 0 }) => [of]) : [],
  };
  return {
    growth,
    tables: [
      {
        title: "a witness by the size of the tree",
        rows: growth.map(({ leaves, witnessInstructions: instructions, ...us }) => ({
          leaves,
          "µs of CPU time": median(us.witnessUs),
          "of an older block": median(us.oldWitnessUs),
          "store's search for a key": median(us.searchUs),
          "store's read of a tile": median(us.tileUs),
          ...(instructions === undefined ? {} : { instructions: Math.round(instructions) }),
          "insertion, µs": median(us.insertionUs),
        })),
      },
    ],
    measurements: [
      {
        kind: "figure",
        row: "growth",
        name: FIGURES.witnessGrowth,
        unit: "times",
        values: overLogarithm(growth, (point) => point.witnessUs),
        note: "CPU time in process, all of it: where a tree fits the processor's caches a witness is answered from them",
      },
      ...(isCounted ? [instructions] : []),
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
