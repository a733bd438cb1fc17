import type { ChainReadsOptions } from "../archiver/chain-reads.ts";
import { detachedBuffers } from "../threads/detached.ts";
import { moduleBeside } from "../threads/module-beside.ts";
import { type WorkerPool, workerPool } from "../threads/worker-pool.ts";
import {
  type BlockOutcome,
  type BlockTask,
  type ProcessedBlock,
  packTask,
  StaleBaseError,
  unpackOutcome,
} from "./block-task.ts";

/** Worker threads that execute blocks and simulations while the main thread writes the store. */
export class ExecutionPool {
  readonly #threads: WorkerPool;

  /** At most `size` threads, started on demand. */
  constructor(setup: ChainReadsOptions, { size }: { size: number }) {
    this.#threads = workerPool({
      module: moduleBeside(import.meta.url, "execution-worker"),
      threads: size,
      workerData: setup,
    });
  }

  /**
   * Runs a list of transactions on the state after a stored block and discards the resulting state. Rejects with a
   * StaleBaseError when that block is no longer stored. Aborting interrupts the run within milliseconds; it then
   * resolves with what was done so far, and the thread stays usable.
   */
  async process(task: Omit<BlockTask, "interrupt">, signal?: AbortSignal): Promise<ProcessedBlock> {
    const interrupt = signal && new SharedArrayBuffer(4);
    const abort = (): void => {
      if (interrupt !== undefined) Atomics.store(new Int32Array(interrupt), 0, 1);
    };
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    let outcome: BlockOutcome | "stale";
    try {
      const packed = packTask({ ...task, interrupt });
      outcome = await this.#threads.run(packed, { name: "processBlock", transferList: detachedBuffers(packed) });
    } finally {
      signal?.removeEventListener("abort", abort);
    }
    if (outcome === "stale") throw new StaleBaseError(task.base);
    return unpackOutcome(outcome);
  }

  /** Waits for running tasks and stops the threads. */
  close(): Promise<void> {
    return this.#threads.close();
  }
}
