import { dirname, join } from "node:path";
import { UPLOAD_FOLDER } from "../../chain-store/swap.ts";
import type { PartValues } from "../../config/part-values.ts";
import { type RunningFeed, startFeedWorker } from "../../follower/serve/feed-worker.ts";
import type { RpcContext } from "./rpc.ts";

/** Starts the feed if it is configured. Rejects with a FeedStartError. */
export async function startConfiguredFeed(
  {
    store,
    publicData,
    reader: { identity },
    loggerFor,
  }: Pick<RpcContext, "store" | "publicData" | "reader" | "loggerFor">,
  { values, rpcPort }: { values: PartValues; rpcPort: number },
): Promise<RunningFeed | undefined> {
  const { host, port, maxFollowers } = values.feed;
  const { mapSizeKb } = values.storage;
  if (port === undefined) return undefined;
  const { epochDuration } = identity.constants;
  const reads = { path: store.path, mapSizeKb, commits: store.commits, epochDuration, publicData };
  // Beside the store, where a start removes what a killed process left.
  const copyPrefix = join(dirname(store.path), UPLOAD_FOLDER);
  const data = { identity, host, port, maxFollowers, rpcPort, reads, copyPrefix };
  const feed = await startFeedWorker(data, loggerFor("feed"));
  loggerFor("node").info({ host, port: feed.port }, "serving the feed for followers on {host}:{port}");
  return feed;
}
