import { existsSync, statfsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { removeProposedAfter } from "../../archiver/unwind-chain.ts";
import type { ChainServices, StoreOwner } from "../../chain-store/chain-services.ts";
import { RESTORE_FOLDER, swapIn } from "../../chain-store/swap.ts";
import type { Core } from "../../core/core.ts";
import { inOrder } from "../../endpoints/hedged-call.ts";
import type { FeedUpstream } from "../../follower/follow/ask-upstream.ts";
import { downloadSnapshot, type SnapshotLimits } from "../../follower/follow/download-snapshot.ts";
import { UpstreamError } from "../../follower/follow/errors.ts";
import { redactUrl } from "../../http/redact.ts";
import { SnapshotRefusedError } from "../../snapshots/refusal.ts";
import type { SnapshotFacts } from "../../snapshots/snapshot-facts.ts";
import { type TransferReport, transferBar, transferLog } from "../../snapshots/transfer-report.ts";
import { checkDatabase, checkIdentity, checkTrees } from "../../snapshots/verify.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { snapshotTaken } from "./snapshot-check.ts";

interface UpstreamSnapshotOptions {
  upstreams: readonly FeedUpstream[];
  /** The data directory. */
  directory: { path: string; chainStore: string };
  identity: StoreOwner;
  core: Core;
  mapSizeKb: number;
  /** Opens a folder in the same way as the follower's chain store. */
  openChain: (path: string) => Promise<ChainServices>;
  log: Logger;
  /** Shows a progress bar if it is a terminal. */
  stream: NodeJS.WriteStream;
  signal: AbortSignal;
  limits?: SnapshotLimits;
  /** Between two lines about a snapshot that is waited for. */
  tellEveryMs?: number;
}

const TELL_EVERY_MS = 60_000;
const SPARE_BYTES = 64 * 1024 * 1024;

/**
 * Takes the store of the first upstream that has a valid one, if there is no local data. Must run before the store is
 * opened. What fails is logged, and the next upstream asked; without any, everything comes by the feed. Throws the
 * errors of opening the local data, or the reason of `signal`.
 * @returns the upstream that it is of, without secrets.
 */
export async function startFromSnapshot(options: UpstreamSnapshotOptions): Promise<string | undefined> {
  const { upstreams, directory, openChain, log, signal } = options;
  if (existsSync(join(directory.chainStore, "data.mdb"))) {
    const { store, chain } = await openChain(directory.chainStore);
    const block = chain.latestBlockNumber();
    await store.close();
    if (block > 0) return undefined;
  }
  for (const { url, health } of inOrder(upstreams)) {
    const upstream = redactUrl(url);
    try {
      const { l2BlockNumber, checkpointNumber } = await take(url, options);
      log.info({ upstream, l2BlockNumber, checkpointNumber }, "started from a snapshot of {upstream}");
      return upstream;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof SnapshotRefusedError) {
        const { rule, message: reason } = error;
        log.error({ upstream, rule, reason }, "refused a snapshot");
      } else if (error instanceof UpstreamError) {
        log.warn({ reason: error.message }, "an upstream gives no snapshot");
        if (error.fault !== "refused") health.failed(error.message);
      } else throw error;
    }
  }
  return undefined;
}

async function take(url: string, options: UpstreamSnapshotOptions): Promise<SnapshotFacts> {
  const { directory, identity, core, mapSizeKb, openChain, log, stream, signal, limits } = options;
  const upstream = redactUrl(url);
  const began = performance.now();
  let bytesSoFar = 0;
  const waiting = setInterval(() => {
    const facts = { upstream, seconds: Math.round((performance.now() - began) / 1000), bytes: bytesSoFar };
    log.info(facts, "waiting for the snapshot of {upstream} since {seconds} s: {bytes} bytes so far");
  }, options.tellEveryMs ?? TELL_EVERY_MS);
  const folder = await mkdtemp(join(directory.path, RESTORE_FOLDER));
  const copy = join(folder, "chain");
  let report: TransferReport | undefined;
  try {
    await mkdir(copy);
    await downloadSnapshot({
      ...{ url, file: join(copy, "data.mdb"), signal, limits },
      begin(bytes) {
        const { bavail, bsize } = statfsSync(folder);
        if (bavail * bsize < bytes + SPARE_BYTES) {
          throw new SnapshotRefusedError("space", `its database has ${bytes} bytes, ${bavail * bsize} bytes are free`);
        }
        report = stream.isTTY
          ? transferBar(stream, bytes, "snapshot")
          : transferLog(log, bytes, "downloading a snapshot");
      },
      progress(bytes) {
        bytesSoFar = bytes;
        report?.update(bytes);
      },
    }).finally(() => {
      clearInterval(waiting);
      report?.end();
    });
    checkDatabase(copy);
    await checkIdentity(copy, { identity, mapSizeKb });
    const services = await openChain(copy).catch((error) => {
      signal.throwIfAborted();
      throw new SnapshotRefusedError("database", (error as Error).message, { cause: error });
    });
    let facts: SnapshotFacts;
    try {
      const { store, chain, world } = services;
      // The feed sends them, with all that it checks.
      const checkpointed = chain.checkpointedBlockNumber();
      if (chain.latestBlockNumber() > checkpointed) {
        removeProposedAfter({ store, chain, worldState: world }, checkpointed);
      }
      facts = checkTrees(services, core);
    } finally {
      await services.store.close();
    }
    signal.throwIfAborted();
    snapshotTaken(directory.path, upstream);
    swapIn(directory.path, copy);
    return facts;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
