import { createHistogram, type RecordableHistogram } from "node:perf_hooks";
import { Worker } from "node:worker_threads";
import { moduleBeside } from "../../threads/module-beside.ts";
import { BenchWitnessError } from "./errors.ts";
import { chainStoreOf, inspectBesideNode, openTrees } from "./open-trees.ts";
import type { WitnessPlan } from "./plan.ts";
import { TREE_TEXTS, type TreeText } from "./tree-texts.ts";
import type { FromThread, ThreadPlan, ToThread } from "./witness-thread.ts";

/** Latencies in microseconds, by percentile. */
export type LatenciesUs = Record<"p50" | "p90" | "p99" | "p99.9" | "max", number>;

export interface TreeFigures {
  witnesses: number;
  perSecond: number;
  latencyUs: LatenciesUs;
}

export interface WitnessFigures {
  dataDirectory: string;
  l1ChainId: number;
  rollupVersion: number;
  /** The block whose state was read, and the blocks whose state the store has. */
  block: number;
  tip: number;
  oldest: number;
  threads: number;
  seconds: number;
  trees: Partial<Record<TreeText, TreeFigures>>;
  /** Trees of the default mix that hold no leaf. */
  skipped: TreeText[];
  total: TreeFigures;
}

interface MeasureOptions {
  dataDirectory: string;
  plan: WitnessPlan;
  /** Called when the measurement starts, warm-up included. */
  begun?: () => void;
  /**
   * Ends the measurement early. The threads close their readers; a killed thread's reader would pin pages of the store.
   */
  signal?: AbortSignal;
}

function figuresOf(histogram: RecordableHistogram, perSecond: number): TreeFigures {
  const at = (percentile: number) => histogram.percentile(percentile) / 1000;
  return {
    witnesses: histogram.count,
    perSecond,
    latencyUs: { p50: at(50), p90: at(90), p99: at(99), "p99.9": at(99.9), max: histogram.max / 1000 },
  };
}

/** The block to read, and the range of blocks that the store has. Throws BenchWitnessError. */
async function chosenBlock(path: string, { depth }: WitnessPlan) {
  const { world, identity, close } = await openTrees(path);
  try {
    const { tip, oldest } = world.status();
    if (tip === 0) throw new BenchWitnessError(`chain store ${path}`, "holds no block yet");
    // Genesis is never pruned, but its state is not worth measuring.
    const first = Math.max(1, oldest);
    if (tip - depth < first)
      throw new BenchWitnessError(
        "--depth",
        `may be at most ${tip - first}: the states of blocks ${first} to ${tip} are kept; got ${depth}`,
      );
    return { identity, tip, oldest: first, block: tip - depth };
  } finally {
    await close();
  }
}

/** One thread. Every step rejects if the thread fails or ends early. */
class WitnessThread {
  readonly #worker: Worker;
  readonly #failed: Promise<never>;

  constructor(plan: ThreadPlan) {
    this.#worker = new Worker(moduleBeside(import.meta.url, "witness-thread"), { workerData: plan });
    this.#failed = new Promise((_, reject) => {
      this.#worker.once("error", (cause) =>
        reject(new BenchWitnessError("a reading thread", `failed: ${cause.message}`, { cause })),
      );
      this.#worker.once("exit", (code) =>
        reject(new BenchWitnessError("a reading thread", `ended early with code ${code}`)),
      );
    });
    // Awaited only in a race with an answer; this keeps an early rejection from being unhandled.
    this.#failed.catch(() => {});
  }

  next<K extends FromThread["kind"]>(kind: K): Promise<Extract<FromThread, { kind: K }>> {
    const answer = new Promise<Extract<FromThread, { kind: K }>>((resolve) => {
      this.#worker.on("message", (message: FromThread) => {
        if (message.kind === kind) resolve(message as Extract<FromThread, { kind: K }>);
      });
    });
    return Promise.race([answer, this.#failed]);
  }

  tell(what: ToThread): void {
    this.#worker.postMessage(what);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

/**
 * Measures witness reads from the trees of a data directory on several threads, each with its own reader. Writes
 * nothing. Throws BenchWitnessError, StoreSchemaError or DamagedStoreError, or the reason of `signal`.
 */
export async function measureWitnesses({
  dataDirectory,
  plan,
  begun,
  signal,
}: MeasureOptions): Promise<WitnessFigures> {
  const path = chainStoreOf(dataDirectory);
  await inspectBesideNode(path);
  const { identity, tip, oldest, block } = await chosenBlock(path, plan);
  const { mix, keys, absent } = plan;
  const threadPlan: ThreadPlan = {
    ...{ path, block, mix, keys, absent },
    warmUpMs: plan.warmUpSeconds * 1000,
    measureMs: plan.seconds * 1000,
  };
  const threads = Array.from({ length: plan.threads }, () => new WitnessThread(threadPlan));
  try {
    const ready = await Promise.all(threads.map((thread) => thread.next("ready")));
    const skipped = TREE_TEXTS.filter((tree) => ready.some(({ empty }) => empty.includes(tree)));
    if (skipped.length > 0 && (plan.mixGiven || skipped.length === mix.length))
      throw new BenchWitnessError(`tree ${skipped[0]}`, `holds no leaf as of block ${block}; leave it out of --trees`);
    const measured = threads.map((thread) => thread.next("measured"));
    begun?.();
    const stop = (): void => {
      for (const thread of threads) thread.tell("stop");
    };
    signal?.addEventListener("abort", stop, { once: true });
    for (const thread of threads) thread.tell(signal?.aborted ? "stop" : "start");
    const results = await Promise.all(measured);
    signal?.throwIfAborted();

    const total = createHistogram();
    let totalRate = 0;
    const trees: WitnessFigures["trees"] = {};
    for (const { tree } of mix) {
      const merged = createHistogram();
      let rate = 0;
      for (const { latencies, elapsedMs } of results) {
        const histogram = latencies.find((one) => one.tree === tree)?.histogram;
        if (histogram === undefined) continue;
        merged.add(histogram);
        rate += (histogram.count / elapsedMs) * 1000;
      }
      if (merged.count === 0) continue;
      trees[tree] = figuresOf(merged, rate);
      total.add(merged);
      totalRate += rate;
    }
    return {
      dataDirectory,
      l1ChainId: identity.l1ChainId,
      rollupVersion: identity.rollupVersion,
      ...{ block, tip, oldest, threads: plan.threads, seconds: plan.seconds, trees, skipped },
      total: figuresOf(total, totalRate),
    };
  } finally {
    await Promise.all(threads.map((thread) => thread.end()));
  }
}
