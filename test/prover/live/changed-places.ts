import { bigUintBytes, readBigUint } from "../../../src/protocol/bytes.ts";
import type { BinaryJobType } from "../../../src/prover/jobs/job-input.ts";
import { say } from "../../world/live/checks.ts";
import type { JudgedEpoch, Refusal } from "./judged-epoch.ts";
import type { PublishedCircuits } from "./published-circuits.ts";
import { whyUnconstrained } from "./unconstrained-places.ts";

/** A field of the input of one job. */
interface JobPlace {
  readonly epoch: JudgedEpoch;
  /** Index of the job in its epoch. */
  readonly job: number;
  /** The place, and whether its value is zero. */
  readonly name: string;
  readonly at: number;
}

/**
 * The places of each circuit whose "CIRCUIT path" matches `only`, each in the first job that has it; at most `limit` of
 * them, evenly spread.
 */
export function placesToChange(
  circuits: PublishedCircuits,
  epochs: readonly JudgedEpoch[],
  only: RegExp,
  limit: number,
): Map<BinaryJobType, JobPlace[]> {
  const byType = new Map<BinaryJobType, Map<string, JobPlace>>();
  for (const epoch of epochs) {
    for (const [job, { type, inputs }] of epoch.jobs.entries()) {
      if (inputs.length === 0) continue;
      const places = byType.get(type) ?? new Map<string, JobPlace>();
      for (const { path, at } of circuits.places(type, inputs)) {
        const name = readBigUint(inputs, at * 32, 32) === 0n ? `${path} = 0` : path;
        if (only.test(`${type} ${name}`) && !places.has(name)) places.set(name, { epoch, job, name, at });
      }
      if (places.size > 0) byType.set(type, places);
    }
  }
  return new Map([...byType].map(([type, places]) => [type, spread([...places.values()], limit)]));
}

function spread<T>(items: readonly T[], limit: number): T[] {
  if (items.length <= limit) return [...items];
  return Array.from({ length: limit }, (_, i) => items[Math.floor((i * items.length) / limit)]);
}

interface ChangeFigures {
  readonly places: number;
  readonly refused: number;
  /** By our evaluation of the blobs, for which the simulated form of a checkpoint root asks. */
  readonly refusedByBlobs: number;
  readonly refusedAbove: number;
  readonly refusedByL1: number;
  readonly withoutEffect: number;
}

/** Places between two lines of progress. */
const PROGRESS_PLACES = 50;

/**
 * Changes the places of a circuit's inputs, one at a time. Returns who refused how many, those that nobody refused and
 * nothing explains, and the reasons that explain the others.
 */
export async function changePlaces(
  type: BinaryJobType,
  places: readonly JobPlace[],
): Promise<{ figures: ChangeFigures; unexplained: string[]; explained: Set<string> }> {
  const counts: Record<Refusal["by"] | "nobody", number> = { circuit: 0, blobs: 0, above: 0, L1: 0, nobody: 0 };
  const unexplained: string[] = [];
  const explained = new Set<string>();
  for (const [i, { epoch, job, name, at }] of places.entries()) {
    const refusal = await epoch.change(job, withOther(epoch.jobs[job].inputs, at));
    counts[refusal?.by ?? "nobody"]++;
    if (refusal?.by === "L1") say(`  ${type} ${name}: refused by L1 for ${refusal.words.join(", ")}`);
    if (refusal?.by === "blobs") say(`  ${type} ${name}: ${refusal.reason}`);
    if (refusal === undefined) {
      const why = whyUnconstrained(type, name);
      if (why === undefined) unexplained.push(name);
      else explained.add(why);
      say(`  ${type} ${name}: no effect (${why ?? "UNEXPLAINED"})`);
    }
    if ((i + 1) % PROGRESS_PLACES === 0) say(`${type}: ${i + 1} of ${places.length} places`);
  }
  return {
    figures: {
      places: places.length,
      refused: counts.circuit,
      refusedByBlobs: counts.blobs,
      refusedAbove: counts.above,
      refusedByL1: counts.L1,
      withoutEffect: counts.nobody,
    },
    unexplained,
    explained,
  };
}

/** The input with one less at a place, or 1 in place of 0. */
function withOther(inputs: Uint8Array, at: number): Uint8Array {
  const value = readBigUint(inputs, at * 32, 32);
  const changed = inputs.slice();
  changed.set(bigUintBytes(value > 0n ? value - 1n : 1n, 32), at * 32);
  return changed;
}
