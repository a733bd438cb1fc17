import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { OperatorError } from "../../errors/operator-error.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { moduleBeside } from "../../threads/module-beside.ts";
import type { FeedThreadData, FromFeedThread } from "./feed-thread.ts";

/** The feed cannot be served. */
class FeedStartError extends OperatorError {
  override readonly errorCode: string = "feed-port";

  constructor(reason: string) {
    super(reason);
    this.name = "FeedStartError";
  }
}

/** Pause before the thread is started again after it died. */
const RESTART_MS = 1_000;

export interface RunningFeed {
  readonly port: number;
  /** Followers that are connected. */
  readonly followers: number;
  stop(): Promise<void>;
}

/** One run of the thread. */
interface FeedThread {
  readonly port: number;
  /** Exit code of the thread. */
  readonly ended: Promise<number>;
}

/** Starts the thread, which closes when `stopping` aborts. Rejects with a FeedStartError if it cannot listen. */
async function startThread(data: FeedThreadData, log: Logger, stopping: AbortSignal): Promise<FeedThread> {
  const worker = new Worker(moduleBeside(import.meta.url, "feed-thread-entry"), { name: "feed", workerData: data });
  const close = (): void => worker.postMessage("close");
  stopping.addEventListener("abort", close);
  const ended = new Promise<number>((resolve) => worker.once("exit", resolve));
  const listening = new Promise<number>((resolve, reject) => {
    worker.on("message", (told: FromFeedThread) => {
      if (told.kind === "log") log[told.level](told.facts, told.message);
      else if (told.kind === "listening") resolve(told.port);
      else reject(new FeedStartError(told.reason));
    });
    worker.on("error", reject);
    void ended.then((code) => {
      stopping.removeEventListener("abort", close);
      Atomics.store(new Int32Array(data.followers), 0, 0);
      reject(new Error(`the thread of the feed ended with code ${code}`));
    });
  });
  return { port: await listening, ended };
}

/** Serves the feed on a thread of its own, which is started again if it dies. Rejects with a FeedStartError. */
export async function startFeedWorker(data: Omit<FeedThreadData, "followers">, log: Logger): Promise<RunningFeed> {
  const followers = new SharedArrayBuffer(4);
  const count = new Int32Array(followers);
  const stop = new AbortController();
  const stopping = stop.signal;
  const start = (port: number) => startThread({ ...data, port, followers }, log, stopping);
  const first = await start(data.port);
  const { port } = first;
  const serve = async (): Promise<void> => {
    for (let thread = first; ; thread = await start(port)) {
      const code = await thread.ended;
      if (stopping.aborted) return;
      log.error({ code }, "the thread of the feed died and is started again");
      await sleep(RESTART_MS, undefined, { signal: stopping }).catch(() => undefined);
      if (stopping.aborted) return;
    }
  };
  const served = serve().catch((error: unknown) => {
    if (!stopping.aborted) log.error({ err: String(error) }, "the feed cannot be served any more");
  });
  return {
    port,
    get followers() {
      return Atomics.load(count, 0);
    },
    stop() {
      stop.abort();
      return served;
    },
  };
}
