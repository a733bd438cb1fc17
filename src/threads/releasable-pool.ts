import { type WorkerPool, type WorkerPoolOptions, workerPool } from "./worker-pool.ts";

/** A pool whose threads can be ended for now, when nothing is left for them to do for a while. */
export class ReleasablePool<Task, Result> {
  readonly #options: WorkerPoolOptions;
  #threads: WorkerPool<Task, Result> | undefined;
  #running = 0;
  #closed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** Rejects with what the task throws, and when the pool was closed. */
  async run(task: Task, options?: { transferList?: ArrayBuffer[] }): Promise<Result> {
    if (this.#closed) throw new Error("the threads have ended");
    this.#threads ??= workerPool(this.#options);
    this.#running++;
    try {
      return await this.#threads.run(task, options);
    } finally {
      this.#running--;
    }
  }

  /** Ends the threads, each of which holds megabytes, unless they have work. They start again with the next task. */
  release(): void {
    if (this.#running > 0) return;
    // Rejects only for tasks under way.
    void this.#threads?.destroy();
    this.#threads = undefined;
  }

  /** Gives up what is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#threads?.destroy();
  }
}
