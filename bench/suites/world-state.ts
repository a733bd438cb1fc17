import { DEFAULT_SYNC_OPTIONS } from "../../src/archiver/sync-services.ts";
import type { Comparison, Figure, SuiteResult } from "../lib/measurement.ts";
import type { Reference } from "../lib/reference.ts";
import { type Applied, inStateProcess } from "../lib/state-processes.ts";
import type { LargeState } from "../lib/states-on-demand.ts";
import { inPairs } from "../lib/statistics.ts";
import type { SuiteContext } from "../lib/suite.ts";
import type { PeerId, RowId } from "../lib/targets.ts";

/** Output of bench/reference/world-state.mjs about the blocks that it applied. */
interface ReferenceApplied {
  nullifiers: number;
  ms: number;
  /** Time to insert the same nullifiers into a fork, in batches of 64, without a commit. */
  batchMs: number;
  resident: number;
  anonymous: number;
}

/** Sizes of one repeat. */
interface Sizes {
  small: number;
  large: number;
  mixed: number;
}

const FULL: Sizes = { small: 100, large: 10, mixed: 4 };
const ALONE: Sizes = { small: 50, large: 5, mixed: 4 };
const QUICK: Sizes = { small: 5, large: 1, mixed: 1 };

/** Number of blocks with so many nullifiers that a sync applies together, if every checkpoint has one block. */
function blocksTogether(nullifiers: number): number {
  const { checkpoints, bytes } = DEFAULT_SYNC_OPTIONS.commit;
  return Math.min(checkpoints, Math.floor(bytes / (nullifiers * 32)));
}

const rate = ({ nullifiers, ms }: { nullifiers: number; ms: number }) => (nullifiers / ms) * 1000;

class ReferenceState {
  readonly #reference: Reference;
  readonly #directory: string;

  constructor(reference: Reference, leaves: number) {
    this.#reference = reference;
    this.#directory = reference.inside(`state-${leaves}`);
  }

  run<T>(command: string, ...counts: number[]): Promise<T> {
    return this.#reference.run<T>("world-state.mjs", [command, this.#directory, ...counts.map(String)]);
  }
}

/**
 * Leaves of the reference's tree whose bytes are counted. Dropping the history of a million leaves would take it more
 * than ten minutes.
 */
const PRUNED_LEAVES = 20_000;

async function diskRow(
  { ofNullifiers: { blocks, bytes, nullifiers } }: LargeState,
  reference: SuiteContext["reference"],
): Promise<SuiteResult["measurements"]> {
  const ours = bytes / nullifiers;
  const note = `ours: growth of the store by ${blocks} blocks of 64 nullifiers, with every version of every tree kept`;
  const row = "disk";
  if (reference === undefined)
    return [{ kind: "figure", row, name: "blocks of 64", unit: "bytes", values: [ours], note }];
  const pruned = new ReferenceState(reference, PRUNED_LEAVES);
  await pruned.run("fill", PRUNED_LEAVES);
  const theirs = await pruned.run<{ bytes: number; leaves: number }>("disk");
  return [
    {
      kind: "comparison",
      row,
      peer: "pruned",
      unit: "bytes",
      better: "less",
      pairs: [{ ours, theirs: theirs.bytes / theirs.leaves }],
      note: `${note}; the reference: its nullifier tree of ${theirs.leaves} leaves at the latest block only, the other trees left out. Neither counts free pages`,
    },
  ];
}

/** Measures blocks on a large tree: their rate, the memory of the process, and their size on disk. */
export async function worldStateSuite(context: SuiteContext): Promise<SuiteResult> {
  const { quick, repeats, reference, progress } = context;
  const sizes = quick ? QUICK : reference === undefined ? ALONE : FULL;
  const state = await context.states.large();
  const theirs = reference && new ReferenceState(reference, state.leaves);
  if (theirs !== undefined) {
    progress("the same leaves in the reference: half an hour the first time, kept for the next run");
    await theirs.run("fill", state.leaves);
  }
  progress("disk");
  const measurements: SuiteResult["measurements"] = await diskRow(state, reference);

  const compare = async (row: RowId, peer: PeerId, nullifiers: number, blocks: number) => {
    progress(row);
    const together = quick ? blocks : blocksTogether(nullifiers);
    const ours = () => inStateProcess<Applied>("apply", state.directory, together, nullifiers, 0, together);
    const oneByOne: number[] = [];
    for (let i = 0; i < Math.min(repeats, 3); i++) {
      oneByOne.push(rate(await inStateProcess<Applied>("apply", state.directory, blocks, nullifiers, 0)));
    }
    const atTheTip: Figure = {
      kind: "figure",
      row,
      name: "each block by itself, as at the tip of the chain",
      unit: "/s",
      values: oneByOne,
    };
    const note =
      `ours: ${together} blocks together in as few commits as a sync makes of them; a node at the tip of the chain has one ` +
      "commit for each block, see the figure beside this one";
    if (theirs === undefined) {
      const values: number[] = [];
      for (let i = 0; i < repeats; i++) values.push(rate(await ours()));
      measurements.push({ kind: "figure", row, name: "with commit", unit: "/s", values, note }, atTheTip);
      return;
    }
    const pairs = await inPairs(repeats, ours, () => theirs.run<ReferenceApplied>("apply", small, 64, 0));
    const comparison = (at: PeerId, ofTheirs: (applied: ReferenceApplied) => number, of: string): Comparison => ({
      kind: "comparison",
      row,
      peer: at,
      unit: "/s",
      better: "more",
      pairs: pairs.map((pair) => ({ ours: rate(pair.ours), theirs: ofTheirs(pair.theirs) })),
      note: `${of}. ${note}`,
    });
    measurements.push(
      comparison(
        peer,
        rate,
        "both sides: all five trees, checked against the header's roots and committed; the reference commits each of its blocks of 64",
      ),
      comparison(
        "fork",
        ({ nullifiers, batchMs }) => (nullifiers / batchMs) * 1000,
        "the reference inserts batches of 64 nullifiers into a fork, without the other trees and without commit",
      ),
      atTheTip,
    );
  };
  const { small, large, mixed } = sizes;
  await compare("blocks-of-64", "batches", 64, small);
  await compare("blocks-of-1024", "batches", 1024, large);

  progress("memory");
  const memories = await inPairs(
    Math.min(repeats, 3),
    () => inStateProcess<Applied>("apply", state.directory, mixed, 1024, 1024),
    () => theirs?.run<ReferenceApplied>("apply", mixed, 1024, 1024),
  );
  return { measurements: [...measurements, ...memoryRow(memories, mixed)] };
}

function memoryRow(
  memories: { ours: Applied; theirs: ReferenceApplied | undefined }[],
  blocks: number,
): (Comparison | Figure)[] {
  const row = "memory";
  const note =
    `resident memory of a process that has opened the state and applied ${blocks} blocks of 1,024 nullifiers and 1,024 public-data ` +
    "writes to it; pages of the mapped store, which the system can take back, are counted on both sides";
  const anonymous: Figure = {
    kind: "figure",
    row,
    name: "without mapped files",
    unit: "MiB",
    values: memories.map(({ ours }) => ours.anonymous),
  };
  const pairs = memories.flatMap(({ ours, theirs }) => (theirs === undefined ? [] : [{ ours, theirs }]));
  if (pairs.length === 0) {
    const values = memories.map(({ ours }) => ours.resident);
    return [{ kind: "figure", row, name: "resident", unit: "MiB", values, note }, anonymous];
  }
  const comparison: Comparison = {
    kind: "comparison",
    row,
    peer: "reference",
    unit: "MiB",
    better: "less",
    pairs: pairs.map(({ ours, theirs }) => ({ ours: ours.resident, theirs: theirs.resident })),
    note,
  };
  const theirs: Figure = {
    ...anonymous,
    name: "the reference without mapped files",
    values: pairs.map((pair) => pair.theirs.anonymous),
  };
  return [comparison, anonymous, theirs];
}
