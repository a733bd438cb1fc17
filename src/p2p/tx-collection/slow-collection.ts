import { setTimeout as sleep } from "node:timers/promises";
import { mapKey } from "../../protocol/bytes.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { BY_HASH_LIMITS, type ByHashLimits } from "./by-hash-requests.ts";
import type { TakesTxs } from "./collected-txs.ts";
import { type CollectionRequest, takeMissing } from "./collection-request.ts";
import type { FileStoreCollection } from "./file-store-collection.ts";
import { MissingTxs } from "./missing-txs.ts";
import type { NodeTxSource } from "./node-source.ts";
import type { TxCollectionOptions } from "./options.ts";

export interface MinedBlock {
  number: number;
  /** Hashes of all its txs. */
  hashes: readonly Uint8Array[];
  /** Archive root after the block. */
  archive: Uint8Array;
  /** Unix milliseconds. */
  deadline: number;
}

export interface SlowCollectionParts {
  nodes: readonly Pick<NodeTxSource, "name" | "txsByHash">[];
  collected: TakesTxs;
  fromPeers(request: CollectionRequest, limits: ByHashLimits, signal: AbortSignal): Promise<void>;
  fileStores: FileStoreCollection | undefined;
  /** Whether the pool has a tx. */
  isKnown(hash: Uint8Array): boolean;
  /** Whether a search for a proposal is under way. */
  isFastBusy(): boolean;
  now(): number;
  logger: Logger;
}

type SlowCollectionOptions = Pick<
  TxCollectionOptions,
  | "txCollectionSlowNodesIntervalMs"
  | "txCollectionSlowReqRespIntervalMs"
  | "txCollectionSlowReqRespTimeoutMs"
  | "txCollectionReconcileIntervalMs"
  | "txCollectionDisableSlowDuringFastRequests"
  | "txCollectionNodeRpcMaxBatchSize"
>;

interface Wanted {
  request: CollectionRequest;
  /** Keys of the txs that a node was asked for. */
  asked: Set<string>;
}

/** Missing txs of all blocks; those of further blocks are not looked for. */
const MAX_MISSING = 50_000;

/**
 * Collects the txs of blocks that are mined but not proven, in the background
 * (docs/protocol/10-peers.md#1015-collecting-transactions).
 */
export class SlowCollection {
  readonly #parts: SlowCollectionParts;
  readonly #options: SlowCollectionOptions;
  /** By block number. */
  readonly #wanted = new Map<number, Wanted>();
  readonly #stopping = new AbortController();
  #loops: Promise<unknown> | undefined;

  constructor(parts: SlowCollectionParts, options: SlowCollectionOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  start(): void {
    const { nodes } = this.#parts;
    const { txCollectionSlowNodesIntervalMs: nodesMs, txCollectionSlowReqRespIntervalMs: peersMs } = this.#options;
    this.#loops ??= Promise.all([
      ...nodes.map((node) => this.#every(nodesMs, () => this.#askNode(node))),
      this.#every(peersMs, () => this.#askPeers()),
      this.#every(this.#options.txCollectionReconcileIntervalMs, async () => this.#reconcile()),
    ]);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wanted.clear();
    await this.#loops;
  }

  /** Looks for those txs of a block that the pool does not have. */
  add({ number, hashes, archive, deadline }: MinedBlock): void {
    const missing = new MissingTxs(hashes.filter((hash) => !this.#parts.isKnown(hash)));
    this.#wanted.delete(number);
    if (missing.size === 0 || deadline <= this.#parts.now()) return;
    if (this.missing + missing.size > MAX_MISSING) {
      this.#parts.logger.warn({ block: number, txs: missing.size }, "too many transactions are missing already");
      return;
    }
    const request = { purpose: { minedBlock: number }, hashes, missing, archive, peer: undefined, deadline };
    this.#wanted.set(number, { request, asked: new Set() });
    this.#parts.fileStores?.add(request);
  }

  /** Txs that are looked for. */
  get missing(): number {
    let sum = 0;
    for (const { request } of this.#wanted.values()) sum += request.missing.size;
    return sum;
  }

  found(hash: Uint8Array): void {
    for (const [number, { request }] of this.#wanted) {
      if (request.missing.found(hash) && request.missing.size === 0) this.#wanted.delete(number);
    }
  }

  /** Ends the search for the blocks that match. */
  drop(matches: (block: number) => boolean): void {
    for (const number of this.#wanted.keys()) if (matches(number)) this.#wanted.delete(number);
  }

  async #every(intervalMs: number, work: () => Promise<void>): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await sleep(intervalMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await work();
      } catch (error) {
        this.#parts.logger.warn({ err: error }, "collecting transactions of mined blocks failed");
      }
    }
  }

  /** Blocks that still miss something, oldest first. Ends searches whose time is over. */
  #open(): Wanted[] {
    const now = this.#parts.now();
    for (const [number, { request }] of this.#wanted) {
      if (request.deadline <= now || request.missing.size === 0) this.#wanted.delete(number);
    }
    return [...this.#wanted].sort(([a], [b]) => a - b).map(([, wanted]) => wanted);
  }

  get #isPaused(): boolean {
    return this.#options.txCollectionDisableSlowDuringFastRequests && this.#parts.isFastBusy();
  }

  async #askNode(node: SlowCollectionParts["nodes"][number]): Promise<void> {
    const { collected, logger } = this.#parts;
    const { signal } = this.#stopping;
    const size = this.#options.txCollectionNodeRpcMaxBatchSize;
    for (const { request, asked } of this.#open()) {
      const hashes = request.missing.hashes();
      for (let at = 0; at < hashes.length; at += size) {
        if (this.#isPaused || signal.aborted) return;
        const batch = hashes.slice(at, at + size).filter((hash) => request.missing.has(hash));
        try {
          await takeMissing(collected, request, await node.txsByHash(batch, signal));
        } catch (error) {
          logger.debug({ node: node.name, err: String(error) }, "node {node} gives no transactions");
        }
        for (const hash of batch) asked.add(mapKey(hash));
      }
    }
  }

  /** Peers are asked only for what a node was asked for before. */
  async #askPeers(): Promise<void> {
    const { nodes, fromPeers } = this.#parts;
    const signal = AbortSignal.any([
      this.#stopping.signal,
      AbortSignal.timeout(this.#options.txCollectionSlowReqRespTimeoutMs),
    ]);
    for (const { request, asked } of this.#open()) {
      if (this.#isPaused || signal.aborted) return;
      const hashes = request.missing.hashes().filter((hash) => nodes.length === 0 || asked.has(mapKey(hash)));
      if (hashes.length === 0) continue;
      const peers = Math.min(16, Math.max(4, Math.ceil(hashes.length / 3)));
      const missing = new MissingTxs(hashes);
      await fromPeers({ ...request, missing }, { ...BY_HASH_LIMITS, peers }, signal);
      for (const hash of hashes) if (!missing.has(hash)) request.missing.found(hash);
    }
  }

  #reconcile(): void {
    for (const { request } of this.#open()) {
      for (const hash of request.missing.hashes()) if (this.#parts.isKnown(hash)) request.missing.found(hash);
    }
    this.#open();
  }
}
