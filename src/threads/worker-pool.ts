import { Piscina } from "piscina";

/** How long a thread without a task is kept. */
const IDLE_MS = 60_000;

export interface WorkerPoolOptions {
  /** The module that the threads run; see moduleBeside. */
  module: URL;
  /** Most threads. */
  threads: number;
  /** Handed to each thread at its start. */
  workerData?: unknown;
  /** Tasks queued per thread, so that threads stay busy while the posting thread is blocked. Default 1. */
  tasksPerThread?: number;
  idleMs?: number;
}

/** Threads that start with the first task and end when there are none for a while. */
export function workerPool<Task, Result>(options: WorkerPoolOptions): Piscina<Task, Result> {
  return new Piscina<Task, Result>({
    filename: options.module.href,
    minThreads: 0,
    maxThreads: options.threads,
    concurrentTasksPerWorker: options.tasksPerThread ?? 1,
    idleTimeout: options.idleMs ?? IDLE_MS,
    workerData: options.workerData,
  });
}

export type { Piscina as WorkerPool } from "piscina";
