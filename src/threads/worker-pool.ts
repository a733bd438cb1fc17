import { Piscina } from "piscina";

/** Idle time after which a thread ends. */
const IDLE_MS = 60_000;

export interface WorkerPoolOptions {
  /** The module that the threads run; see moduleBeside. */
  module: URL;
  /** Maximum number of threads. */
  threads: number;
  /** `workerData` of each thread. */
  workerData?: unknown;
  /** Tasks queued per thread, so that threads stay busy while the posting thread is blocked. Default 1. */
  tasksPerThread?: number;
  idleMs?: number;
}

/** A pool whose threads start on demand and end when idle. */
export function workerPool<Task, Result>(options: WorkerPoolOptions): Piscina<Task, Result> {
  return new Piscina<Task, Result>({
    filename: options.module.href,
    minThreads: 0,
    maxThreads: options.threads,
    concurrentTasksPerWorker: options.tasksPerThread ?? 1,
    idleTimeout: options.idleMs ?? IDLE_MS,
    workerData: options.workerData,
    // Its two histograms take 0.7 MiB of each pool.
    recordTiming: false,
  });
}

export type { Piscina as WorkerPool } from "piscina";
