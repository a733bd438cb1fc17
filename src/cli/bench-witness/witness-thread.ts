import { createHistogram, type RecordableHistogram } from "node:perf_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { JsonWriter } from "../../rpc/codecs/json/json-writer.ts";
import { openTrees } from "./open-trees.ts";
import { sampleKeys } from "./sample-keys.ts";
import type { TreeText } from "./tree-texts.ts";
import { WRITE_WITNESS, type WriteWitness } from "./witness-kinds.ts";

/** Witnesses per turn of the event loop. A snapshot of the store lasts one turn, as in a node under load. */
const PER_TURN = 32;

/** Start data of a thread. Plain data. */
export interface ThreadPlan {
  path: string;
  block: number;
  mix: { tree: TreeText; weight: number }[];
  keys: number;
  absent: number;
  warmUpMs: number;
  measureMs: number;
}

/** Latencies are in nanoseconds. */
export interface TreeLatencies {
  tree: TreeText;
  histogram: RecordableHistogram;
}

/** Messages from a thread: first that its keys are drawn and which trees have none, then its results. */
export type FromThread =
  | { kind: "ready"; empty: TreeText[] }
  | { kind: "measured"; latencies: TreeLatencies[]; elapsedMs: number };

interface Asked {
  tree: TreeText;
  /** Upper bound of this tree's share of the interval 0 .. 1. */
  upTo: number;
  write: WriteWitness;
  keys: Uint8Array[];
  histogram: RecordableHistogram;
}

/** Messages to a thread: start, or stop and close its readers, at any time. */
export type ToThread = "start" | "stop";

async function run(port: MessagePort, plan: ThreadPlan): Promise<void> {
  let stopped = false;
  const start = new Promise<void>((resolve) => {
    port.on("message", (told: ToThread) => {
      stopped ||= told === "stop";
      resolve();
    });
  });
  const { world, close } = await openTrees(plan.path);
  const { block } = plan;
  const drawn = plan.mix.map(({ tree, weight }) => ({
    tree,
    weight,
    keys: sampleKeys(world, block, tree, { count: plan.keys, absent: plan.absent }),
  }));
  const usable = drawn.filter(({ keys }) => keys.length > 0);
  const empty = drawn.filter(({ keys }) => keys.length === 0).map(({ tree }) => tree);
  port.postMessage({ kind: "ready", empty } satisfies FromThread);
  await start;

  const weights = usable.reduce((sum, { weight }) => sum + weight, 0);
  let sum = 0;
  const asked = usable.map(({ tree, weight, keys }): Asked => {
    sum += weight;
    return { tree, upTo: sum / weights, write: WRITE_WITNESS[tree], keys, histogram: createHistogram() };
  });
  const out = new JsonWriter();
  const measureFor = async (ms: number, record: boolean): Promise<number> => {
    const started = performance.now();
    for (let now = started; now - started < ms && !stopped; await nextTurn()) {
      for (let i = 0; i < PER_TURN; i++) {
        const place = Math.random();
        const { write, keys, histogram } = asked.find(({ upTo }) => place < upTo) ?? asked[asked.length - 1];
        const key = keys[Math.floor(Math.random() * keys.length)];
        const before = performance.now();
        write(world, block, key, out);
        out.take();
        now = performance.now();
        if (record) histogram.record(Math.max(1, Math.round((now - before) * 1e6)));
      }
    }
    return performance.now() - started;
  };
  if (plan.warmUpMs > 0) await measureFor(plan.warmUpMs, false);
  const elapsedMs = await measureFor(plan.measureMs, true);
  const latencies = asked.map(({ tree, histogram }) => ({ tree, histogram }));
  await close();
  port.postMessage({ kind: "measured", latencies, elapsedMs } satisfies FromThread);
}

if (parentPort === null) throw new TypeError("this file is for worker threads");
await run(parentPort, workerData);
