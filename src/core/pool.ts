import { moduleBeside } from "../threads/module-beside.ts";
import { type WorkerPool, workerPool } from "../threads/worker-pool.ts";
import type { HashManyTask } from "./pool-worker.ts";
import type { TileChain } from "./tile-chain.ts";
import { type HashedTiles, hashedTiles } from "./tile-job.ts";

/**
 * Tasks queued per worker, so that workers stay busy while a commit blocks this thread (up to two seconds for a large
 * part of a sync).
 */
const QUEUED_TASKS = 16;
/** Below this many hashes another thread costs more than it saves: some 0.1 ms of messages against 40 us a hash. */
const MIN_HASHES_PER_TASK = 32;

interface Slice {
  from: number;
  to: number;
}

/** Even slices of `count` items: at most `most` slices, each of at least `smallest` items if there are that many. */
function slices(count: number, most: number, smallest: number): Slice[] {
  const n = Math.max(1, Math.min(most, Math.floor(count / smallest)));
  return Array.from({ length: n }, (_, i) => ({
    from: Math.floor((count * i) / n),
    to: Math.floor((count * (i + 1)) / n),
  }));
}

/**
 * Worker threads with a core each, for work that would block the event loop. Inputs are copied into one buffer per
 * task, which is transferred and never shared. A failed task rejects the call that created it.
 */
export class CorePool {
  readonly size: number;
  readonly #threads: WorkerPool;

  /** At most `size` threads, started on first use, which end when idle for `idleMs`. */
  constructor({ size, idleMs }: { size: number; idleMs?: number }) {
    this.size = size;
    this.#threads = workerPool({
      module: moduleBeside(import.meta.url, "pool-worker"),
      threads: size,
      tasksPerThread: QUEUED_TASKS,
      idleMs,
    });
  }

  /** Core.hashMany spread over all threads. */
  async hashMany(inputs: Uint8Array, arity: number): Promise<Uint8Array> {
    const stride = arity * 32;
    const count = inputs.length / stride;
    if (!Number.isInteger(arity) || arity < 1 || !Number.isInteger(count)) {
      throw new RangeError(`inputs must be whole runs of ${stride} bytes, got ${inputs.length}`);
    }
    const out = new Uint8Array(count * 32);
    await Promise.all(
      slices(count, this.size, MIN_HASHES_PER_TASK).map(async ({ from, to }) => {
        const task: HashManyTask = { inputs: inputs.slice(from * stride, to * stride), arity };
        out.set(await this.#run<Uint8Array>("hashMany", task, [task.inputs.buffer]), from * 32);
      }),
    );
    return out;
  }

  /** hashChain on one thread. The inputs of its jobs are transferred, so they are empty afterwards. */
  async hashTiles(chain: TileChain): Promise<HashedTiles[]> {
    const counts = chain.jobs.map(({ tileCount, versionCount }) => ({ tileCount, versionCount }));
    const inputs = [...chain.jobs.map(({ input }) => input.buffer), ...chain.rootsTo.map(({ buffer }) => buffer)];
    const results = await this.#run<Uint8Array[]>("hashTiles", chain, inputs);
    return results.map((bytes, i) => hashedTiles(bytes, counts[i]));
  }

  /** Waits for running tasks and stops the threads. */
  async close(): Promise<void> {
    await this.#threads.close();
  }

  #run<Result>(name: string, task: HashManyTask | TileChain, transferList: ArrayBuffer[]): Promise<Result> {
    return this.#threads.run(task, { name, transferList }) as Promise<Result>;
  }
}
