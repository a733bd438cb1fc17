import type { TxPool } from "../../mempool/pool/tx-pool.ts";
import type { TxValidator } from "../../mempool/validation/tx-validator.ts";
import type { TransactionRules } from "../../protocol/generations/transactions.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { PeerPenalties } from "../peers/penalties.ts";
import type { RequestClient } from "../peers/request-client.ts";
import { requestBatches } from "./batch-tx-requester.ts";
import { repeatByHash, requestByHash } from "./by-hash-requests.ts";
import { CollectedTxs } from "./collected-txs.ts";
import { CollectingTxProvider, type ProvidedTxsRecord } from "./collecting-provider.ts";
import { CollectionCounts, type CollectionMethod } from "./collection-counts.ts";
import type { MissingTxsCollector } from "./collection-request.ts";
import { FastCollection } from "./fast-collection.ts";
import { type AskedTxStore, FileStoreCollection } from "./file-store-collection.ts";
import { MinedTxs } from "./mined-txs.ts";
import { collectFromNodes } from "./node-collection.ts";
import type { NodeTxSource } from "./node-source.ts";
import type { BatchTxRequesterOptions, TxCollectionOptions } from "./options.ts";
import { RequestPace } from "./request-pace.ts";
import type { RequestPeers } from "./request-peers.ts";
import { type MinedBlock, SlowCollection } from "./slow-collection.ts";
import type { TxProvider } from "./tx-provider.ts";

interface TxCollectionParts {
  pool: Pick<TxPool, "add" | "addProtected" | "get" | "hasTx" | "onAdded" | "protect" | "status">;
  validator: Pick<TxValidator, "received">;
  client: RequestClient;
  peers: RequestPeers;
  penalties: PeerPenalties;
  /** Forms of the txs that peers send. */
  transactions: TransactionRules;
  nodes: readonly NodeTxSource[];
  fileStores: readonly AskedTxStore[];
  /** Unix milliseconds. */
  now(): number;
  /** Told of the txs of each proposed block; for metrics. */
  record?: ProvidedTxsRecord;
  /** Called when the pool lacks txs of a proposed block: gossip may have brought them a moment ago. */
  missed?(): void;
  logger: Logger;
}

/**
 * Collects transactions that the node needs and did not get by gossip: those of proposed blocks fast, those of mined
 * blocks that are not proven in the background (docs/protocol/10-peers.md#1015-collecting-transactions).
 */
export class TxCollection {
  readonly provider: TxProvider;
  /** Transactions of mined blocks, for a prover. */
  readonly mined: MinedTxs;
  readonly counts = new CollectionCounts();
  readonly #fast: FastCollection;
  readonly #slow: SlowCollection;
  readonly #files: readonly FileStoreCollection[];
  readonly #collected: CollectedTxs;
  readonly #unsubscribe: () => void;

  constructor(parts: TxCollectionParts, options: TxCollectionOptions & BatchTxRequesterOptions) {
    const { pool, validator, nodes, fileStores, now, logger } = parts;
    const collected = new CollectedTxs({ validator, pool, logger });
    this.#collected = collected;
    const via = (method: CollectionMethod) => this.counts.counted(collected, method);
    const asking = { ...parts, collected: via("fast-req-resp"), pace: new RequestPace() };
    const fromPeers: MissingTxsCollector =
      options.txCollectionMissingTxsCollectorType === "new"
        ? (request, signal) => requestBatches(asking, options, request, signal)
        : (request, signal) => repeatByHash(asking, request, signal);
    const files = (timing: ConstructorParameters<typeof FileStoreCollection>[1]) =>
      fileStores.length === 0
        ? undefined
        : new FileStoreCollection({ sources: fileStores, collected: via("file-store"), now, logger }, timing);
    const fastFiles = files({
      delayMs: options.txCollectionFileStoreFastDelayMs,
      workers: options.txCollectionFileStoreFastWorkerCount,
      backoffBaseMs: options.txCollectionFileStoreFastBackoffBaseMs,
      backoffMaxMs: options.txCollectionFileStoreFastBackoffMaxMs,
    });
    const slowFiles = files({
      delayMs: options.txCollectionFileStoreSlowDelayMs,
      workers: options.txCollectionFileStoreSlowWorkerCount,
      backoffBaseMs: options.txCollectionFileStoreSlowBackoffBaseMs,
      backoffMaxMs: options.txCollectionFileStoreSlowBackoffMaxMs,
    });
    this.#files = [fastFiles, slowFiles].filter((each) => each !== undefined);
    const asksNodes = {
      proposed: {
        intervalMs: options.txCollectionFastNodeIntervalMs,
        parallelRequests: options.txCollectionFastMaxParallelRequestsPerNode,
        batchSize: options.txCollectionNodeRpcMaxBatchSize,
      },
      mined: {
        intervalMs: options.txGatheringIntervalMs,
        parallelRequests: options.txGatheringMaxParallelRequestsPerNode,
        batchSize: options.txGatheringBatchSize,
      },
    };
    const fromNodes: MissingTxsCollector = (request, signal) => {
      const how = "minedBlock" in request.purpose ? asksNodes.mined : asksNodes.proposed;
      return collectFromNodes({ nodes, collected: via("fast-node-rpc"), logger }, how, request, signal);
    };
    this.#fast = new FastCollection(
      { fromNodes: nodes.length === 0 ? undefined : fromNodes, fromPeers, fileStores: fastFiles, now, logger },
      options,
    );
    this.#slow = new SlowCollection(
      {
        nodes,
        collected: via("slow-node-rpc"),
        fromPeers: (request, limits, signal) =>
          requestByHash({ ...asking, collected: via("slow-req-resp") }, limits, request, signal),
        fileStores: slowFiles,
        isKnown: (hash) => pool.status(hash) !== undefined,
        isFastBusy: () => this.#fast.isBusy,
        now,
        logger,
      },
      options,
    );
    this.provider = new CollectingTxProvider({ ...parts, collected, fast: this.#fast });
    this.mined = new MinedTxs(pool, this.#fast, now);
    this.#unsubscribe = pool.onAdded((hashes) => {
      for (const hash of hashes) this.#found(hash);
    });
  }

  #found(hash: Uint8Array): void {
    this.#fast.found(hash);
    this.#slow.found(hash);
    for (const files of this.#files) files.found(hash);
  }

  /** Starts the background loops. */
  start(): void {
    this.#slow.start();
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    this.#fast.stopAll();
    for (const files of this.#files) files.stop();
    await Promise.all([this.#slow.stop(), this.#collected.stop()]);
  }

  /** Looks in the background for the txs of a mined block that is not proven. */
  collectMined(block: MinedBlock): void {
    this.#slow.add(block);
  }

  /** Missing txs of mined blocks. */
  get missingMined(): number {
    return this.#slow.missing;
  }

  /** The chain is proven up to a block. */
  provenUpTo(block: number): void {
    this.#drop((number) => number <= block);
  }

  /** The chain now ends at a block. */
  prunedTo(block: number): void {
    this.#drop((number) => number > block);
  }

  #drop(matches: (minedBlock: number) => boolean): void {
    this.#fast.stop(matches);
    this.#slow.drop(matches);
    for (const files of this.#files) {
      files.drop((purpose) => "minedBlock" in purpose && matches(purpose.minedBlock));
    }
  }
}
