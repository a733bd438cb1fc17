import type { Core } from "../core/core.ts";
import { isZero } from "../protocol/bytes.ts";
import { DecodeError } from "../protocol/errors.ts";
import type { Generation } from "../protocol/generations/generation.ts";
import { readTxEffects } from "../protocol/tx-effect.ts";
import { moduleBeside } from "../threads/module-beside.ts";
import { type WorkerPool, workerPool } from "../threads/worker-pool.ts";
import { rebuildCheckpoint } from "./rebuild-checkpoint.ts";
import type { RebuildTask, RebuiltPlain } from "./rebuild-worker.ts";
import type { RebuildInput, RebuiltCheckpoint } from "./rebuilt-checkpoint.ts";

/** Rebuilds a checkpoint, on this thread or another. Rejects with what rebuildCheckpoint throws. */
type Rebuild = (input: RebuildInput) => Promise<RebuiltCheckpoint>;

export function rebuildInThread(core: Core, generation: Generation): Rebuild {
  return async (input) => rebuildCheckpoint(input, core, generation);
}

/**
 * From this many words on, a worker thread is faster: hashing takes about 9 us per word, sending a blob and its blocks
 * about a millisecond.
 */
const DEFAULT_FROM_WORDS = 256;

const ZERO_STEP = 4096;

/** Number of words up to the last non-zero one. */
function usedWords(blobs: Uint8Array): number {
  let end = blobs.length;
  while (end >= ZERO_STEP && isZero(blobs.subarray(end - ZERO_STEP, end))) end -= ZERO_STEP;
  while (end > 0 && blobs[end - 1] === 0) end--;
  return Math.ceil(end / 32);
}

const IDLE_MS = 10_000;

interface RebuildPoolOptions {
  threads: number;
  fromWords?: number;
  /** Time after which an idle thread ends. */
  idleMs?: number;
}

/** Rebuilds checkpoints on worker threads, except those so small that sending them would cost more. */
export class RebuildPool {
  readonly #core: Core;
  readonly #generation: Generation;
  readonly #fromWords: number;
  readonly #threads: WorkerPool<RebuildTask, RebuiltPlain>;

  constructor(core: Core, generation: Generation, options: RebuildPoolOptions) {
    const { threads, fromWords = DEFAULT_FROM_WORDS, idleMs = IDLE_MS } = options;
    this.#core = core;
    this.#generation = generation;
    this.#fromWords = fromWords;
    this.#threads = workerPool({
      module: moduleBeside(import.meta.url, "rebuild-worker"),
      threads,
      idleMs,
    });
  }

  readonly rebuild: Rebuild = async (input) => {
    if (usedWords(input.blobs) < this.#fromWords) return rebuildCheckpoint(input, this.#core, this.#generation);
    const plain = await this.#threads.run({ input, generation: this.#generation.name });
    if ("rule" in plain) throw new DecodeError(plain.subject, plain.rule);
    return { ...plain, blocks: plain.blocks.map((block) => ({ ...block, txs: readTxEffects(block.body) })) };
  };

  close(): Promise<void> {
    return this.#threads.destroy();
  }
}
