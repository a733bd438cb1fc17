import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { ContentStore } from "../../../archiver/content-store.ts";
import { type ChainServices, openChainServices } from "../../../chain-store/chain-services.ts";
import { RESTORE_FOLDER } from "../../../chain-store/swap.ts";
import type { Core } from "../../../core/core.ts";
import { CorePool } from "../../../core/pool.ts";
import type { HashedTx } from "../../../execution/executed-tx.ts";
import { equal, fromHex, toHex } from "../../../protocol/bytes.ts";
import { txFromBytes } from "../../../protocol/tx/tx-bytes.ts";
import { download } from "../../../snapshots/download.ts";
import { SnapshotRefusedError } from "../../../snapshots/refusal.ts";
import { transferLog } from "../../../snapshots/transfer-report.ts";
import { inspectStore } from "../../../storage/inspect.ts";
import { unpacked } from "../../../storage/objects/gunzip.ts";
import type { ObjectReader } from "../../../storage/objects/object-store.ts";
import type { Logger } from "../../../telemetry/logger.ts";
import type { PrefilledEntry } from "../../../world-state/tables/genesis-row.ts";
import {
  CHAIN,
  type FailedEpoch,
  FailedEpochError,
  MAX_METADATA_BYTES,
  METADATA,
  parseFailedEpoch,
  TXS,
} from "./failed-epoch.ts";

/** A failed epoch on this machine, ready to be proven again. */
export interface OpenedEpoch extends ChainServices {
  readonly facts: FailedEpoch;
  readonly content: ContentStore;
  readonly publicData: readonly PrefilledEntry[];
  /** By hash, 0x text. */
  readonly txs: ReadonlyMap<string, HashedTx>;
  /** Closes the store and deletes it. */
  close(): Promise<void>;
}

interface OpenOptions {
  readonly reader: ObjectReader;
  /** The epoch's folder in the store. */
  readonly folder: string;
  /** Where the chain store is unpacked. */
  readonly directory: string;
  readonly core: Core;
  readonly mapSizeKb: number;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** Downloads a failed epoch. Rejects with a FailedEpochError, an ObjectStoreError or the errors of opening a store. */
export async function openFailedEpoch(options: OpenOptions): Promise<OpenedEpoch> {
  const { reader, folder, directory, core, mapSizeKb, logger, signal } = options;
  const text = await reader.get(`${folder}/${METADATA}`, { signal, maxBytes: MAX_METADATA_BYTES });
  if (text === undefined) throw new FailedEpochError(`${folder} has no ${METADATA} in ${reader.name}`);
  const facts = parseFailedEpoch(text);
  const unpackedAt = await mkdtemp(join(directory, RESTORE_FOLDER));
  const hasher = new CorePool({ size: 1 });
  const discard = async (): Promise<void> => {
    await hasher.close();
    await rm(unpackedAt, { recursive: true, force: true });
  };
  try {
    const path = join(unpackedAt, "chain");
    const report = (total: number) => transferLog(logger, total, "downloading a failed epoch");
    await download({ store: reader, key: `${folder}/${CHAIN}`, ...facts.chain }, { folder: path, report, signal });
    inspectStore(path);
    const publicData = facts.genesis.publicData.map(([slot, value]) => ({
      slot: fromHex(slot),
      value: fromHex(value),
    }));
    const { l1ChainId, rollupVersion, rollupAddress, epochDuration } = facts;
    const identity = {
      ...{ l1ChainId, rollupVersion },
      addresses: { rollupAddress },
      constants: { epochDuration },
      genesisArchiveRoot: fromHex(facts.genesis.archiveRoot),
    };
    const services = await openChainServices({ path, mapSizeKb, core, identity, publicData, hasher, signal });
    let txs: Map<string, HashedTx>;
    try {
      requireCheckpoints(facts, services);
      const { transactions } = services.chain.generation;
      txs = await readTxs(reader, { key: `${folder}/${TXS}`, ...facts.txs, ...transactions }, signal);
    } catch (error) {
      await services.store.close();
      throw error;
    }
    const close = async (): Promise<void> => {
      await services.store.close();
      await discard();
    };
    return { ...services, facts, content: new ContentStore(services), publicData, txs, close };
  } catch (error) {
    await discard();
    if (error instanceof SnapshotRefusedError) throw new FailedEpochError(`cannot be used: ${error.message}`);
    throw error;
  }
}

async function readTxs(
  reader: ObjectReader,
  { key, count, packedBytes, bytes: size, proofFields }: FailedEpoch["txs"] & { key: string; proofFields: number },
  signal: AbortSignal,
): Promise<Map<string, HashedTx>> {
  const packed = await reader.get(key, { signal, maxBytes: packedBytes });
  if (packed === undefined) throw new FailedEpochError(`has no ${TXS}`);
  const found = new Map<string, HashedTx>();
  try {
    const bytes = unpacked(packed, Math.max(1, size));
    for (let at = 0; at < bytes.length; ) {
      const { hash, tx, next } = txFromBytes(bytes, at, proofFields);
      found.set(toHex(hash), { hash, tx });
      at = next;
    }
  } catch (cause) {
    throw new FailedEpochError(`has a damaged ${TXS}: ${(cause as Error).message}`, { cause });
  }
  if (found.size !== count) {
    throw new FailedEpochError(`must have ${count} transactions in ${TXS}, got ${found.size}`);
  }
  return found;
}

function requireCheckpoints({ checkpoints }: FailedEpoch, { chain }: ChainServices): void {
  for (const { number, archiveRoot } of checkpoints) {
    const found = chain.checkpoint(number);
    if (found === undefined || !equal(found.archiveRoot, fromHex(archiveRoot))) {
      throw new FailedEpochError(`has no checkpoint ${number} with archive root ${archiveRoot} in its ${CHAIN}`);
    }
  }
}
