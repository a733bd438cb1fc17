import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { RESTORE_FOLDER, swapIn } from "../chain-store/swap.ts";
import type { DataDirectory } from "../process/data-directory.ts";
import type { ObjectReader } from "../storage/objects/object-store.ts";
import type { Logger } from "../telemetry/logger.ts";
import { type Candidate, findCandidates } from "./candidates.ts";
import { download } from "./download.ts";
import { SnapshotRefusedError } from "./refusal.ts";
import { l1Position } from "./snapshot-facts.ts";
import { type SnapshotEntry, type SnapshotNetwork, snapshotFolder } from "./snapshot-index.ts";
import { transferBar, transferLog } from "./transfer-report.ts";
import { type VerifyOptions, verifySnapshot } from "./verify.ts";

/**
 * Minimum L1 blocks that a node must be behind to download a snapshot: half a day
 * (docs/protocol/09-configuration.md#914-snapshots).
 */
const MIN_L1_BLOCKS_BEHIND = 3600;

export interface RestoreOptions extends Omit<VerifyOptions, "reader"> {
  mode: "full" | "snapshot" | "force-snapshot";
  /** Of SYNC_SNAPSHOTS_URLS. */
  stores: readonly ObjectReader[];
  directory: Pick<DataDirectory, "path" | "chainStore" | "temporary">;
  reader: VerifyOptions["reader"] & { latestBlock(): Promise<{ number: number }> };
  logger: Logger;
  /** Shows a progress bar if it is a terminal. */
  stream: NodeJS.WriteStream;
  signal: AbortSignal;
  minL1BlocksBehind?: number;
}

interface LocalChain {
  block: number;
  l1Block: number | undefined;
}

/** State of the local chain store; undefined if it is empty. Throws the errors of opening it. */
async function localChain({ directory, openChain }: RestoreOptions): Promise<LocalChain | undefined> {
  if (!existsSync(join(directory.chainStore, "data.mdb"))) return undefined;
  const { store, chain } = await openChain(directory.chainStore);
  try {
    return { block: chain.latestBlockNumber(), l1Block: l1Position(chain) };
  } finally {
    await store.close();
  }
}

/** Why a node with this local chain needs no snapshot; undefined if it needs one. */
async function reasonAgainst(local: LocalChain | undefined, options: RestoreOptions): Promise<string | undefined> {
  const { mode, reader, minL1BlocksBehind = MIN_L1_BLOCKS_BEHIND } = options;
  if (local === undefined) return undefined;
  if (mode === "snapshot" && local.block > 0) return `there is local data up to block ${local.block}`;
  if (local.l1Block === undefined) return undefined;
  const behind = (await reader.latestBlock()).number - local.l1Block;
  return behind < minL1BlocksBehind ? `the local data is ${behind} L1 blocks behind only` : undefined;
}

/**
 * Replaces the chain store with a snapshot if the sync mode asks for one and one is available
 * (docs/protocol/09-configuration.md#914-snapshots). Must run before the store is opened. If a snapshot fails, logs
 * that and tries the next one. If all fail, the node syncs from its local data, which only a verified snapshot
 * replaces. Throws the errors of opening the local data, or the reason of `signal`.
 * @returns the restored snapshot.
 */
export async function restoreSnapshot(options: RestoreOptions): Promise<SnapshotEntry | undefined> {
  const { mode, stores, directory, reader, logger, signal, minL1BlocksBehind = MIN_L1_BLOCKS_BEHIND } = options;
  if (mode === "full" || stores.length === 0) return undefined;
  if (directory.temporary) {
    logger.info({}, "snapshots are for nodes with a data directory");
    return undefined;
  }
  const local = await localChain(options);
  const reason = await reasonAgainst(local, options);
  if (reason !== undefined) {
    logger.info({ reason }, "no snapshot is needed");
    return undefined;
  }
  const { identity } = reader;
  const network: SnapshotNetwork = {
    l1ChainId: identity.l1ChainId,
    rollupVersion: identity.rollupVersion,
    rollupAddress: identity.addresses.rollupAddress,
  };
  for (const candidate of await findCandidates(stores, network, logger, signal)) {
    const { store, entry } = candidate;
    const { l2BlockNumber, l1BlockNumber } = entry;
    const facts = { store: store.name, name: entry.dataUrls.chain, l2BlockNumber, l1BlockNumber };
    if (local?.l1Block !== undefined && l1BlockNumber - local.l1Block < minL1BlocksBehind) {
      logger.info({ ...facts, local: local.l1Block }, "a snapshot is not far enough ahead of the local data");
      continue;
    }
    try {
      await take(candidate, network, options);
      logger.info(facts, "the snapshot is verified and in place");
      return entry;
    } catch (error) {
      signal.throwIfAborted();
      const rule = error instanceof SnapshotRefusedError ? error.rule : (error as Error).name;
      logger.error({ ...facts, rule, reason: (error as Error).message }, "refused a snapshot");
    }
  }
  logger.warn({ block: local?.block ?? 0 }, "no snapshot can be used, syncing from L1");
  return undefined;
}

async function take(candidate: Candidate, network: SnapshotNetwork, options: RestoreOptions): Promise<void> {
  const { directory, logger, stream, signal } = options;
  const { store, entry } = candidate;
  const folder = await mkdtemp(join(directory.path, RESTORE_FOLDER));
  const copy = join(folder, "chain");
  try {
    const { bytes, packedBytes } = entry.chain;
    const { l2BlockNumber } = entry;
    logger.info({ store: store.name, l2BlockNumber, bytes, packedBytes }, "downloading a snapshot");
    const report = (total: number) =>
      stream.isTTY ? transferBar(stream, total, "snapshot") : transferLog(logger, total, "downloading a snapshot");
    const key = `${snapshotFolder(network)}/${entry.dataUrls.chain}`;
    await download({ store, key, ...entry.chain }, { folder: copy, report, signal });
    await verifySnapshot(copy, entry, options);
    signal.throwIfAborted();
    swapIn(directory.path, copy);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
