import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_SYNC_OPTIONS } from "../../src/archiver/sync-services.ts";
import type { Comparison, Figure, SuiteResult } from "../lib/measurement.ts";
import type { Reference } from "../lib/reference.ts";
import { type Applied, inStateProcess, type Size } from "../lib/state-processes.ts";
import type { LargeState } from "../lib/states-on-demand.ts";
import { inPairs } from "../lib/statistics.ts";
import type { SuiteContext } from "../lib/suite.ts";
import { FIGURES, type PeerId, type RowId } from "../lib/targets.ts";

/** Output of bench/reference/world-state.mjs about the blocks that it applied. */
interface ReferenceApplied {
  nullifiers: number;
  ms: number;
  cpuMs: number;
  /** Time to insert the same nullifiers into a fork, in batches of 64, without a commit. */
  batchMs: number;
  resident: number;
  anonymous: number;
  unwindMs: number;
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

  constructor(reference: Reference, name: number | string) {
    this.#reference = reference;
    this.#directory = reference.inside(`state-${name}`);
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

/**
 * Blocks of 64 nullifiers of which the history of the last 64 is kept: as many as either side keeps by default, were
 * each a checkpoint of its own.
 */
const PRUNED = { blocks: 320, nullifiers: 64, kept: 64 };

/** The same blocks on both sides from genesis on, the same history kept: bytes of the whole. */
async function prunedDiskRow({ quick, reference }: SuiteContext): Promise<SuiteResult["measurements"]> {
  const { nullifiers, kept } = PRUNED;
  const blocks = quick ? 2 * kept : PRUNED.blocks;
  const directory = mkdtempSync(join(tmpdir(), "svc-bench-pruned-"));
  try {
    await inStateProcess("extend", directory, blocks, nullifiers, 0, kept);
    const { bytes } = await inStateProcess<Size>("prune", directory, kept);
    const ours = bytes / (blocks * nullifiers);
    const row = "disk-pruned";
    const note = `${blocks} blocks of ${nullifiers} nullifiers from genesis on, the states of the last ${kept} kept; ours: the whole store`;
    if (reference === undefined)
      return [{ kind: "figure", row, name: "blocks of 64", unit: "bytes", values: [ours], note }];
    const state = new ReferenceState(reference, `blocks-${blocks}`);
    await state.run("extend", blocks, nullifiers);
    const theirs = await state.run<Size>("disk", kept);
    return [
      {
        ...{ kind: "comparison", row, peer: "same-history", unit: "bytes", better: "less" },
        pairs: [{ ours, theirs: theirs.bytes / (blocks * nullifiers) }],
        note: `${note}; the reference: its nullifier tree, the other trees left out. Neither counts free pages`,
      },
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const UNWOUND = { blocks: 64, nullifiers: 1024 };

/** Unwinding many large blocks at once, and the reference unwinding the blocks of its rate of insertion. */
async function unwindingRows(
  { quick, repeats }: SuiteContext,
  directory: string,
  theirs: () => Promise<ReferenceApplied> | undefined,
): Promise<SuiteResult["measurements"]> {
  const { nullifiers } = UNWOUND;
  const blocks = quick ? 2 : UNWOUND.blocks;
  const unwound = await inPairs(
    Math.min(repeats, 3),
    () => inStateProcess<Applied>("apply", directory, blocks, nullifiers, 0, blocks),
    async () => theirs(),
  );
  const row = "unwinding";
  const figure = (name: string, of: (applied: Applied) => number): Figure => ({
    ...{ kind: "figure", row, name, unit: "s", values: unwound.map(({ ours }) => of(ours) / 1000) },
  });
  const unwindRate = ({ nullifiers, unwindMs }: { nullifiers: number; unwindMs: number }) =>
    (nullifiers / unwindMs) * 1000;
  const pairs = unwound.flatMap(({ ours, theirs }) =>
    theirs === undefined ? [] : [{ ours: unwindRate(ours), theirs: unwindRate(theirs) }],
  );
  const note = "nullifiers a second; the reference unwinds blocks of 64";
  return [
    figure(FIGURES.unwound, ({ unwindMs }) => unwindMs),
    figure("CPU time", ({ unwindCpuMs }) => unwindCpuMs),
    ...(pairs.length === 0
      ? []
      : [{ ...({ kind: "comparison", row, peer: "batches", unit: "/s", better: "more" } as const), pairs, note }]),
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
  measurements.push(...(await prunedDiskRow(context)));

  const { small, large, mixed } = sizes;
  const theirBlocks = () => theirs?.run<ReferenceApplied>("apply", small, 64, 0);

  const compareAtTip = async (row: RowId, peer: PeerId) => {
    progress(row);
    const pairs = await inPairs(
      repeats,
      () => inStateProcess<Applied>("apply", state.directory, small, 64, 0),
      async () => theirBlocks(),
    );
    const note = "both sides: one block at a time, all five trees, checked against the header's roots and committed";
    const both = pairs.flatMap(({ ours, theirs }) => (theirs === undefined ? [] : [{ ours, theirs }]));
    if (both.length === 0) {
      const values = pairs.map(({ ours }) => rate(ours));
      measurements.push({ kind: "figure", row, name: "with commit", unit: "/s", values, note });
      return;
    }
    const cpuOf = ({ cpuMs, nullifiers }: { cpuMs: number; nullifiers: number }) => (cpuMs * 64) / nullifiers;
    const ofBoth = (of: (applied: Applied | ReferenceApplied) => number) =>
      both.map(({ ours, theirs }) => ({ ours: of(ours), theirs: of(theirs) }));
    measurements.push(
      { kind: "comparison", row, peer, unit: "/s", better: "more", pairs: ofBoth(rate), note },
      {
        ...{ kind: "comparison", row, peer: "batches-cpu", unit: "ms", better: "less" },
        ...{ pairs: ofBoth(cpuOf), note: "CPU time of a block" },
      },
    );
  };

  const compare = async (row: RowId, peer: PeerId, nullifiers: number) => {
    progress(row);
    const together = quick ? large : blocksTogether(nullifiers);
    const ours = () => inStateProcess<Applied>("apply", state.directory, together, nullifiers, 0, together);
    const note = `ours: ${together} blocks together in as few commits as a sync makes of them`;
    if (theirs === undefined) {
      const values: number[] = [];
      for (let i = 0; i < repeats; i++) values.push(rate(await ours()));
      measurements.push({ kind: "figure", row, name: "with commit", unit: "/s", values, note });
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
    );
  };

  const eachByItself = async (row: RowId, nullifiers: number, blocks: number): Promise<Figure> => {
    const values: number[] = [];
    for (let i = 0; i < Math.min(repeats, 3); i++) {
      values.push(rate(await inStateProcess<Applied>("apply", state.directory, blocks, nullifiers, 0)));
    }
    return { kind: "figure", row, name: "each block by itself, as at the tip of the chain", unit: "/s", values };
  };
  await compareAtTip("tip-blocks-of-64", "batches");
  await compare("blocks-of-64", "batches", 64);
  await compare("blocks-of-1024", "batches", 1024);
  measurements.push(await eachByItself("blocks-of-1024", 1024, large));
  progress("unwinding");
  measurements.push(...(await unwindingRows(context, state.directory, theirBlocks)));

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
