import { mkdtemp, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { ChainStore } from "../../../archiver/chain-store.ts";
import type { CheckpointRecord } from "../../../archiver/tables/records.ts";
import type { StoreOwner } from "../../../chain-store/chain-services.ts";
import { UPLOAD_FOLDER } from "../../../chain-store/swap.ts";
import { concat, equal, toHex } from "../../../protocol/bytes.ts";
import { txToBytes } from "../../../protocol/tx/tx-bytes.ts";
import type { CheckpointPreparation } from "../../../prover/node/checkpoint-preparation.ts";
import type { EpochRun } from "../../../prover/node/epoch-run.ts";
import type { PostedCheckpoints } from "../../../prover/node/posted-checkpoints.ts";
import { PackedFile } from "../../../snapshots/packed-file.ts";
import { transferLog } from "../../../snapshots/transfer-report.ts";
import type { ObjectStore } from "../../../storage/objects/object-store.ts";
import type { Store } from "../../../storage/store.ts";
import type { Logger } from "../../../telemetry/logger.ts";
import type { PrefilledEntry } from "../../../world-state/tables/genesis-row.ts";
import { CHAIN, type FailedEpoch, failedEpochFolder, METADATA, TXS } from "./failed-epoch.ts";

const zip = promisify(gzip);

/** Epochs before the newest one for which it is known whether they were uploaded. */
const REMEMBERED_EPOCHS = 64;
/** Characters of a reason that are stored. */
const MAX_REASON_LENGTH = 4000;

type FailedRun = Pick<EpochRun, "id" | "epoch" | "checkpoints">;

export interface FailedEpochServices {
  readonly target: ObjectStore;
  readonly store: Pick<Store, "copyTo">;
  readonly chain: Pick<ChainStore, "checkpoint">;
  readonly identity: StoreOwner;
  readonly publicData: readonly PrefilledEntry[];
  /** 20 bytes. */
  readonly proverId: Uint8Array;
  readonly preparation: Pick<CheckpointPreparation, "gather">;
  readonly posted: Pick<PostedCheckpoints, "read">;
  /** Folder for the copy of the chain store. */
  readonly directory: string;
  readonly logger: Logger;
}

/**
 * Uploads what is needed to prove a failed epoch again, in the background, one epoch at a time. Of an epoch the first
 * failure is uploaded: the chain store is copied each time, and further attempts have the same input.
 */
export class FailedEpochUploader {
  readonly #services: FailedEpochServices;
  readonly #stopping = new AbortController();
  readonly #uploaded = new Set<number>();
  #running: Promise<void> | undefined;

  constructor(services: FailedEpochServices) {
    this.#services = services;
  }

  /** Begins to upload an epoch unless that was done; the result is logged. */
  upload(run: FailedRun, reason: unknown): void {
    const { epoch, checkpoints } = run;
    if (this.#uploaded.has(epoch) || checkpoints.length === 0 || this.#stopping.signal.aborted) return;
    if (this.#running !== undefined) {
      this.#services.logger.warn({ epoch }, "failed epoch {epoch} is not uploaded while another one is");
      return;
    }
    this.#uploaded.add(epoch);
    for (const each of this.#uploaded) if (each < epoch - REMEMBERED_EPOCHS) this.#uploaded.delete(each);
    this.#running = this.#run(run, [...checkpoints], reason).finally(() => {
      this.#running = undefined;
    });
  }

  /** Resolves once no upload is running. Never rejects. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** Aborts a running upload. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error("the node stops"));
    await this.settled();
  }

  async #run({ id, epoch }: FailedRun, checkpoints: CheckpointRecord[], reason: unknown): Promise<void> {
    const { target, directory, logger } = this.#services;
    let copy: string | undefined;
    try {
      copy = await mkdtemp(join(directory, UPLOAD_FOLDER));
      const folder = await this.#upload(id, epoch, checkpoints, messageOf(reason), copy);
      logger.info({ epoch, store: target.name, folder }, "failed epoch {epoch} is uploaded to {store} as {folder}");
    } catch (error) {
      logger.warn({ epoch, reason: messageOf(error) }, "failed epoch {epoch} could not be uploaded: {reason}");
    } finally {
      if (copy !== undefined) await rm(copy, { recursive: true, force: true }).catch(() => undefined);
    }
  }

  async #upload(
    id: string,
    epoch: number,
    checkpoints: CheckpointRecord[],
    reason: string,
    folder: string,
  ): Promise<string> {
    const { target, store, identity, publicData, proverId, preparation, posted, logger } = this.#services;
    const { signal } = this.#stopping;
    const { l1ChainId, rollupVersion, addresses, constants } = identity;
    const failedAt = new Date();
    // First, since transactions may leave the pool.
    const blocks = await preparation.gather(epoch, checkpoints, signal);
    const gathered = blocks.flatMap((block) => block.txs);
    const txs = concat(...gathered.map(({ hash, tx }) => txToBytes(hash, tx)));
    const packedTxs = await zip(txs, { level: 1 });
    const commitments = await Promise.all(checkpoints.map(async (each) => (await posted.read(each)).commitments));
    const copy = join(folder, "chain");
    await store.copyTo(copy, signal);
    this.#requireUnchanged(checkpoints);
    const file = join(copy, "data.mdb");
    const { size: bytes } = await stat(file);
    const network = { l1ChainId, rollupVersion, rollupAddress: addresses.rollupAddress.toLowerCase() };
    const name = failedEpochFolder(network, epoch, failedAt, id);
    const report = transferLog(logger, bytes, "a failed epoch is being uploaded");
    const packed = new PackedFile(file, report, signal);
    await target.put(`${name}/${CHAIN}`, packed, { signal });
    await target.put(`${name}/${TXS}`, packedTxs, { signal });
    const metadata: FailedEpoch = {
      version: 1,
      ...network,
      epoch,
      reason: reason.slice(0, MAX_REASON_LENGTH),
      failedAt: failedAt.toISOString(),
      proverId: toHex(proverId),
      epochDuration: constants.epochDuration,
      genesis: {
        archiveRoot: toHex(identity.genesisArchiveRoot),
        publicData: publicData.map(({ slot, value }) => [toHex(slot), toHex(value)]),
      },
      checkpoints: checkpoints.map(({ number, archiveRoot }, i) => ({
        number,
        archiveRoot: toHex(archiveRoot),
        commitments: commitments[i].map(toHex),
      })),
      chain: { bytes, sha256: packed.sha256(), packedBytes: packed.packedBytes },
      txs: { count: gathered.length, bytes: txs.length, packedBytes: packedTxs.length },
    };
    const text = Buffer.from(JSON.stringify(metadata, undefined, 2));
    await target.put(`${name}/${METADATA}`, text, { contentType: "application/json", signal });
    return name;
  }

  /** The copy is made later than the failure. */
  #requireUnchanged(checkpoints: readonly CheckpointRecord[]): void {
    const replaced = checkpoints.find(({ number, archiveRoot }) => {
      const now = this.#services.chain.checkpoint(number);
      return now === undefined || !equal(now.archiveRoot, archiveRoot);
    });
    if (replaced !== undefined) throw new Error(`checkpoint ${replaced.number} was replaced on L1 meanwhile`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
