import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { mapKey, toHex } from "../../protocol/bytes.ts";
import type { Tx } from "../../protocol/tx/tx.ts";
import { txToBytes } from "../../protocol/tx/tx-bytes.ts";
import { dropOldest } from "../../storage/drop-oldest.ts";
import type { ObjectStore } from "../../storage/objects/object-store.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { DistributionCounter } from "../../telemetry/metrics/distribution.ts";
import { TRANSFER_MS, type TxStoreNetwork, txKey } from "./file-store-source.ts";

export interface TxUploadParts {
  objects: ObjectStore;
  network: TxStoreNetwork;
  /** Bodies are read when their turn comes; one that left the pool before is not uploaded. */
  pool: { get(hash: Uint8Array): Tx | undefined };
  logger: Logger;
}

/** By the names of their options. */
interface TxUploadOptions {
  txFileStoreUploadConcurrency: number;
  txFileStoreMaxQueueSize: number;
}

const RETRY_DELAYS_MS = [100, 500, 2000];
/** Txs that were uploaded last and are not again. */
const MAX_REMEMBERED = 1000;

const packed = promisify(gzip);

/**
 * Uploads the pool's transactions to a file store for other nodes
 * (docs/protocol/10-peers.md#1015-collecting-transactions). A full queue drops its oldest entries.
 */
export class TxUploads {
  readonly #parts: TxUploadParts;
  readonly #options: TxUploadOptions;
  readonly #queue = new Map<string, Uint8Array>();
  /** Oldest first. */
  readonly #uploaded = new Set<string>();
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  /** Of txs since the start; skipped: uploaded before. */
  readonly counts = { success: 0, failed: 0, skipped: 0 };
  readonly durations = new DistributionCounter(TRANSFER_MS);
  #dropped = 0;

  constructor(parts: TxUploadParts, options: TxUploadOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /** Transactions that came into the pool. */
  add(hashes: readonly Uint8Array[]): void {
    if (this.#stopping.signal.aborted) return;
    for (const hash of hashes) {
      const key = mapKey(hash);
      if (this.#uploaded.has(key)) {
        this.counts.skipped++;
        continue;
      }
      this.#queue.set(key, Uint8Array.from(hash));
      if (this.#queue.size > this.#options.txFileStoreMaxQueueSize) this.#dropOldest();
    }
    this.#start();
  }

  /** Txs that wait. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Ends uploads that are under way; the queue is dropped. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#queue.clear();
    await Promise.all(this.#running);
  }

  #dropOldest(): void {
    const [oldest] = this.#queue.keys();
    this.#queue.delete(oldest);
    if (this.#dropped++ === 0) {
      const { objects, logger } = this.#parts;
      logger.warn({ store: objects.name }, "transactions come faster than {store} takes them: the oldest are left out");
    }
  }

  #start(): void {
    for (const [key, hash] of this.#queue) {
      if (this.#running.size >= this.#options.txFileStoreUploadConcurrency) return;
      this.#queue.delete(key);
      this.#remember(key);
      const upload = this.#upload(hash).finally(() => {
        this.#running.delete(upload);
        this.#start();
      });
      this.#running.add(upload);
    }
  }

  #remember(key: string): void {
    this.#uploaded.add(key);
    dropOldest(this.#uploaded, MAX_REMEMBERED);
  }

  /** Never rejects. */
  async #upload(hash: Uint8Array): Promise<void> {
    try {
      const tx = this.#parts.pool.get(hash);
      if (tx !== undefined) await this.#put(hash, await packed(txToBytes(hash, tx)));
    } catch (error) {
      this.#parts.logger.warn({ tx: toHex(hash), err: error }, "a transaction could not be read for its upload");
    }
  }

  async #put(hash: Uint8Array, content: Uint8Array): Promise<void> {
    const { objects, network, logger } = this.#parts;
    const { signal } = this.#stopping;
    const began = performance.now();
    for (const delayMs of [...RETRY_DELAYS_MS, undefined]) {
      try {
        await objects.put(txKey(network, hash), content, { contentEncoding: "gzip", signal });
        this.counts.success++;
        this.durations.record(performance.now() - began);
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (delayMs === undefined) {
          this.counts.failed++;
          this.#uploaded.delete(mapKey(hash));
          logger.warn({ store: objects.name, tx: toHex(hash), err: String(error) }, "{store} refuses a transaction");
          return;
        }
        await sleep(delayMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}
