import type { Comparison, Figure, SuiteResult } from "../lib/measurement.ts";
import {
  type RecordedL1,
  type SyncedNode,
  startOwnNode,
  startRecordedL1,
  startReferenceNode,
} from "../lib/recorded-nodes.ts";
import { memoryOf } from "../lib/server-process.ts";
import { inPairs } from "../lib/statistics.ts";
import type { SuiteContext } from "../lib/suite.ts";

interface Synced {
  seconds: number;
  residentMiB: number;
}

/** Starts a node, waits until it reports the last block, reads its memory use and stops it. */
async function syncedOnce(start: () => Promise<SyncedNode>): Promise<Synced> {
  const node = await start();
  try {
    return { seconds: node.syncSeconds, residentMiB: memoryOf(node.process.pid).resident };
  } finally {
    await node.process.stop();
  }
}

const row = "initial-sync";

async function measure({ repeats, reference, progress }: SuiteContext, l1: RecordedL1) {
  const ours = () => syncedOnce(() => startOwnNode(l1));
  progress("first sync, not counted: it fills the L1's caches");
  await ours();
  if (reference === undefined) {
    progress("own node");
    const runs: Synced[] = [];
    for (let i = 0; i < repeats; i++) runs.push(await ours());
    return runs.map((run) => ({ ours: run, theirs: undefined }));
  }
  progress("own node and reference");
  return inPairs(repeats, ours, () => syncedOnce(() => startReferenceNode(reference, l1)));
}

/**
 * Measures the time from the start of the process to the last block of the recorded chain, with an L1 and blobs on this
 * machine.
 */
export async function syncSuite(context: SuiteContext): Promise<SuiteResult> {
  const l1 = await startRecordedL1();
  try {
    const pairs = await measure(context, l1);
    const figures: Figure[] = [
      { kind: "figure", row, name: "time", unit: "s", values: pairs.map(({ ours }) => ours.seconds) },
      { kind: "figure", row, name: "resident memory", unit: "MiB", values: pairs.map(({ ours }) => ours.residentMiB) },
    ];
    const both = pairs.flatMap(({ ours, theirs }) => (theirs === undefined ? [] : [{ ours, theirs }]));
    if (both.length === 0) return { measurements: figures };
    const comparison = (of: keyof Synced, unit: "s" | "MiB"): Comparison => ({
      kind: "comparison",
      row,
      peer: "reference",
      unit,
      better: "less",
      pairs: both.map(({ ours, theirs }) => ({ ours: ours[of], theirs: theirs[of] })),
    });
    const memory: Figure = {
      kind: "figure",
      row,
      name: "resident memory of the reference",
      unit: "MiB",
      values: both.map(({ theirs }) => theirs.residentMiB),
    };
    return { measurements: [comparison("seconds", "s"), figures[1], memory] };
  } finally {
    l1.stop();
  }
}
