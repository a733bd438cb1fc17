import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Anvil, startAnvil } from "../../src/cli/demo/anvil.ts";
import { caughtUp, FollowedChain } from "../lib/followed-chain.ts";
import { type LongChain, makeLongChain, readLongChain } from "../lib/long-chain.ts";
import type { Comparison, Figure, SuiteResult } from "../lib/measurement.ts";
import { startReference } from "../lib/recorded-nodes.ts";
import type { Reference } from "../lib/reference.ts";
import { median } from "../lib/statistics.ts";
import type { SuiteContext } from "../lib/suite.ts";
import { type CpuSplit, cpuSplit, splitTable } from "../lib/sync-split.ts";
import { FIGURES } from "../lib/targets.ts";

/** Chains that are made if none is given. */
const USUAL = { blocks: 150, txsPerBlock: 10 };
const QUICK = { blocks: 12, txsPerBlock: 4 };
/** The reference takes a quarter of an hour for a thousand blocks on two cores that do other work. */
const REFERENCE_LIMIT_MS = 3_600_000;
const REFERENCE_LOOK_MS = 500;

interface Synced {
  seconds: number;
  cpuSeconds: number;
  residentMiB: number;
}

async function ownSync(chain: FollowedChain, block: number): Promise<Synced> {
  const { seconds, cpuSeconds, residentMiB, stop } = await chain.node(block);
  await stop();
  return { seconds, cpuSeconds, residentMiB };
}

async function referenceSync(reference: Reference, chain: LongChain, l1Url: string, block: number): Promise<Synced> {
  const blobs = reference.inside("long-chain-blobs");
  const outside = reference.outside(blobs);
  rmSync(outside, { recursive: true, force: true });
  cpSync(chain.blobs, outside, { recursive: true });
  try {
    const { registryAddress } = chain;
    const started = await startReference(reference, { l1Url, registryAddress, blobs });
    const found = await caughtUp(started, block, { lookMs: REFERENCE_LOOK_MS, limitMs: REFERENCE_LIMIT_MS });
    await started.process.stop();
    return found;
  } finally {
    rmSync(outside, { recursive: true, force: true });
  }
}

const row = "long-sync";

function figures(runs: readonly Synced[], whose: string): Figure[] {
  const figure = (name: string, unit: Figure["unit"], values: number[]): Figure => ({
    ...{ kind: "figure", row, name: `${name}${whose}`, unit, values },
  });
  return [
    figure(
      "time",
      "s",
      runs.map(({ seconds }) => seconds),
    ),
    figure(
      "CPU time",
      "s",
      runs.map(({ cpuSeconds }) => cpuSeconds),
    ),
    figure(
      "resident memory",
      "MiB",
      runs.map(({ residentMiB }) => residentMiB),
    ),
  ];
}

function hashingFigure({ hashing }: CpuSplit): Figure[] {
  if (hashing === undefined) return [];
  return [{ kind: "figure", row, name: FIGURES.notHashing, unit: "times", values: [1 - hashing] }];
}

/**
 * Sync of a long recorded chain, from the start of the process to its last block: time, CPU time, memory, and what the
 * CPU time is spent on. The reference, which takes minutes, syncs once, each of our runs is compared with that.
 */
export async function longSyncSuite({
  quick,
  repeats,
  reference,
  longChain,
  progress,
}: SuiteContext): Promise<SuiteResult> {
  const temporary = longChain === undefined ? mkdtempSync(join(tmpdir(), "svc-bench-long-chain-")) : undefined;
  let anvil: Anvil | undefined;
  try {
    const folder = longChain ?? (temporary as string);
    const chain = readLongChain(folder) ?? (await makeLongChain(folder, quick ? QUICK : USUAL, progress));
    anvil = await startAnvil(chain.l1State, new AbortController().signal);
    const { url: l1Url } = anvil;
    const { registryAddress, blocks, txs } = chain;
    const followed = new FollowedChain({ l1Url, registryAddress, blobStore: pathToFileURL(chain.blobs).href });
    progress(`a chain of ${blocks} blocks and ${txs} txs; first sync, not counted: it fills the L1's caches`);
    await ownSync(followed, blocks);
    const ours: Synced[] = [];
    for (let i = 0; i < repeats; i++) {
      ours.push(await ownSync(followed, blocks));
      const { seconds, cpuSeconds } = ours[i];
      progress(`own node: ${seconds.toFixed(1)} s, CPU ${cpuSeconds.toFixed(1)} s`);
    }
    progress("own node under the profiler");
    const split = await cpuSplit(followed, blocks);
    const result: SuiteResult = {
      measurements: [...figures(ours, ""), ...hashingFigure(split)],
      tables: [splitTable(split)],
      notes: [
        `the long chain has ${blocks} blocks and ${txs} txs`,
        ...(split.hashing === undefined ? ["the built core's functions have no names: hashing is not told apart"] : []),
      ],
    };
    if (reference === undefined) return result;
    progress("reference");
    const theirs = await referenceSync(reference, chain, l1Url, blocks);
    const comparison = (of: keyof Synced, peer: Comparison["peer"], unit: Comparison["unit"]): Comparison => ({
      ...{ kind: "comparison", row, peer, unit, better: "less" },
      pairs: ours.map((run) => ({ ours: run[of], theirs: theirs[of] })),
    });
    progress(
      `reference: ${theirs.seconds.toFixed(1)} s, CPU ${theirs.cpuSeconds.toFixed(1)} s, own median CPU ` +
        `${median(ours.map(({ cpuSeconds }) => cpuSeconds)).toFixed(1)} s`,
    );
    return {
      ...result,
      measurements: [
        comparison("seconds", "reference", "s"),
        comparison("cpuSeconds", "reference-cpu", "s"),
        ...result.measurements,
        ...figures([theirs], " of the reference"),
      ],
    };
  } finally {
    anvil?.kill();
    if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
  }
}
