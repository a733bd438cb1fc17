import type { MessagePort } from "node:worker_threads";
import { type ChainReadsOptions, openChainReads } from "../../archiver/chain-reads.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { type FeedServerOptions, startFeedServer } from "./feed-server.ts";
import { SnapshotCopies } from "./snapshot-copies.ts";

/** What the thread of the feed is started with. Plain data: it crosses threads. */
export interface FeedThreadData
  extends Pick<FeedServerOptions, "identity" | "host" | "port" | "maxFollowers" | "rpcPort"> {
  reads: ChainReadsOptions;
  /** Beginning of the path of folders for copies of the store. */
  copyPrefix: string;
  /** Holds the number of connected followers. */
  followers: SharedArrayBuffer;
}

export type FromFeedThread =
  | { kind: "listening"; port: number }
  | { kind: "cannot listen"; reason: string }
  | { kind: "log"; level: keyof Logger; facts: object; message: string };

/** Serves the feed until it is told to close. */
export async function runFeedThread(parent: MessagePort, data: FeedThreadData): Promise<void> {
  const tell = (message: FromFeedThread): void => parent.postMessage(message);
  const line = (level: keyof Logger) => (facts: object, message: string) =>
    tell({ kind: "log", level, facts, message });
  const log: Logger = { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") };
  const { reads, followers, copyPrefix: folderPrefix, ...options } = data;
  const count = new Int32Array(followers);
  const { store, chain } = openChainReads(reads);
  try {
    const server = await startFeedServer({
      ...options,
      ...{ chain, publicData: reads.publicData, commits: store, refresh: () => void store.version(), log },
      snapshots: new SnapshotCopies({ store, folderPrefix, log }),
      counted: (connected) => Atomics.store(count, 0, connected),
    });
    parent.once("message", () => {
      void server
        .close()
        .then(() => store.close())
        .finally(() => parent.close());
    });
    tell({ kind: "listening", port: server.port });
  } catch (error) {
    tell({ kind: "cannot listen", reason: (error as Error).message });
    await store.close();
    parent.close();
  }
}
