import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { UPLOAD_FOLDER } from "../../chain-store/swap.ts";
import type { PartValues } from "../../config/part-values.ts";
import { OperatorError } from "../../errors/operator-error.ts";
import type { FeedThreadData, FromFeedThread } from "../../follower/serve/feed-thread.ts";
import { feedThreadEntry } from "../../follower/serve/feed-thread-file.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { RpcContext } from "./rpc.ts";

export type FeedContext = Pick<RpcContext, "store" | "publicData" | "reader" | "loggerFor">;
/** The feed cannot be served. */
export class FeedStartError extends OperatorError {
  override readonly errorCode: string = "feed-port";

  constructor(reason: string) {
    super(reason);
    this.name = "FeedStartError";
  }
}

/** Pause before the thread is started again after it died. */
const RESTART_MS = 1_000;

export interface FeedPart {
  readonly port: number;
  /** Followers that are connected. */
  readonly followers: number;
  stop(): Promise<void>;
}

/** Starts the feed if it is configured. Rejects with a FeedStartError. */
export async function startConfiguredFeed(
  { store, publicData, reader: { identity }, loggerFor }: FeedContext,
  { values, rpcPort }: { values: PartValues; rpcPort: number },
): Promise<FeedPart | undefined> {
  const { host, port, maxFollowers } = values.feed;
  const { mapSizeKb } = values.storage;
  if (port === undefined) return undefined;
  const { epochDuration } = identity.constants;
  const reads = { path: store.path, mapSizeKb, commits: store.commits, epochDuration, publicData };
  // Beside the store, where a start removes what a killed process left.
  const copyPrefix = join(dirname(store.path), UPLOAD_FOLDER);
  const data = { identity, host, port, maxFollowers, rpcPort, reads, copyPrefix };
  const feed = await startFeed(data, loggerFor("feed"));
  loggerFor("node").info({ host, port: feed.port }, "serving the feed for followers on {host}:{port}");
  return feed;
}

/** Serves the feed on a thread of its own, which reads the store by itself. Rejects with a FeedStartError. */
async function startFeed(data: Omit<FeedThreadData, "followers">, log: Logger): Promise<FeedPart> {
  const followers = new SharedArrayBuffer(4);
  const count = new Int32Array(followers);
  let worker: Worker;
  let stopping = false;
  let restart: NodeJS.Timeout | undefined;
  const start = (port: number): Promise<number> =>
    new Promise((resolve, reject) => {
      let failure: unknown;
      worker = new Worker(feedThreadEntry(), { name: "feed", workerData: { ...data, port, followers } });
      worker.on("message", (told: FromFeedThread) => {
        if (told.kind === "log") log[told.level](told.facts, told.message);
        else if (told.kind === "listening") resolve(told.port);
        else failure = new FeedStartError(told.reason);
      });
      worker.on("error", (error) => {
        failure = error;
      });
      worker.on("exit", (code) => {
        Atomics.store(count, 0, 0);
        reject(failure ?? new Error(`the thread of the feed ended with code ${code}`));
      });
    });
  const port = await start(data.port);
  const watch = (): void => {
    worker.once("exit", (code) => {
      if (stopping) return;
      log.error({ code }, "the thread of the feed died and is started again");
      restart = setTimeout(() => {
        start(port).then(watch, (error: unknown) => {
          log.error({ err: String(error) }, "the feed cannot be served any more");
        });
      }, RESTART_MS);
    });
  };
  watch();
  return {
    port,
    get followers() {
      return Atomics.load(count, 0);
    },
    stop: () => {
      stopping = true;
      clearTimeout(restart);
      return new Promise((resolve) => {
        worker.once("exit", () => resolve());
        worker.postMessage("close");
        // Of a thread that has ended already.
        if (worker.threadId === -1) resolve();
      });
    },
  };
}
