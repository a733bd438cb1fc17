import { setTimeout as sleep } from "node:timers/promises";
import type { TxFacts } from "../../../src/mempool/digest/tx-facts.ts";
import { TxPool } from "../../../src/mempool/pool/tx-pool.ts";
import type { Tolerance } from "../../../src/mempool/validation/gossip-checks.ts";
import { type RequestAnswer, type RequestClient, RequestStatus } from "../../../src/p2p/peers/request-client.ts";
import { blockTxsHandler } from "../../../src/p2p/reqresp/handlers/block-txs.ts";
import { txHandler } from "../../../src/p2p/reqresp/handlers/tx.ts";
import type { RequestHandlers } from "../../../src/p2p/reqresp/request-handler.ts";
import { CollectedTxs } from "../../../src/p2p/tx-collection/collected-txs.ts";
import type { CollectionRequest } from "../../../src/p2p/tx-collection/collection-request.ts";
import { MissingTxs } from "../../../src/p2p/tx-collection/missing-txs.ts";
import type { BatchTxRequesterOptions, TxCollectionOptions } from "../../../src/p2p/tx-collection/options.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { fr } from "../../../src/protocol/field.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { txToBytes } from "../../../src/protocol/tx/tx-bytes.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { MemoryStore } from "../../world/mempool/memory-store.ts";
import { anchorOf, ModelWorld } from "../../world/mempool/model-world.ts";
import { poolTx, seeded } from "../../world/mempool/pool-txs.ts";

export const ARCHIVE_ROOT = seeded("archive");

/** Defaults of the network's options, with short times. */
export const OPTIONS: TxCollectionOptions & BatchTxRequesterOptions = {
  txCollectionFastNodesTimeoutBeforeReqRespMs: 100,
  txCollectionFastNodeIntervalMs: 20,
  txCollectionFastMaxParallelRequestsPerNode: 4,
  txCollectionNodeRpcMaxBatchSize: 50,
  txCollectionMissingTxsCollectorType: "new",
  txCollectionSlowNodesIntervalMs: 30,
  txCollectionSlowReqRespIntervalMs: 30,
  txCollectionSlowReqRespTimeoutMs: 60_000,
  txCollectionReconcileIntervalMs: 30,
  txCollectionDisableSlowDuringFastRequests: true,
  txCollectionFileStoreSlowDelayMs: 60,
  txCollectionFileStoreFastDelayMs: 20,
  txCollectionFileStoreFastWorkerCount: 5,
  txCollectionFileStoreSlowWorkerCount: 2,
  txCollectionFileStoreFastBackoffBaseMs: 10,
  txCollectionFileStoreSlowBackoffBaseMs: 20,
  txCollectionFileStoreFastBackoffMaxMs: 50,
  txCollectionFileStoreSlowBackoffMaxMs: 100,
  txGatheringIntervalMs: 20,
  txGatheringBatchSize: 10,
  txGatheringMaxParallelRequestsPerNode: 100,
  batchTxRequesterSmartParallelWorkerCount: 10,
  batchTxRequesterDumbParallelWorkerCount: 10,
  batchTxRequesterTxBatchSize: 8,
  batchTxRequesterBadPeerThreshold: 2,
};

/** Txs of a block, by number. */
export const txsOfBlock = (count: number, name = "tx"): TxFacts[] =>
  Array.from({ length: count }, (_, i) =>
    poolTx({ hash: seeded(`${name} ${i}`), nullifiers: [seeded(`${name} nullifier ${i}`)], anchorHash: anchorOf(0) }),
  );

export const hashesOf = (txs: readonly TxFacts[]): Uint8Array[] => txs.map(({ hash }) => hash);
export const bytesOf = ({ hash, tx }: TxFacts): Uint8Array => txToBytes(hash, tx);

/** A pool that takes received txs, all valid but those in `invalid`. Counts the checks. */
export function collectingPool(txs: readonly TxFacts[]) {
  const world = new ModelWorld(new Map([[toHex(fr(77)), 10n ** 30n]]));
  const pool = new TxPool(new MemoryStore(), world, { rules: V4, maxPending: 0, archived: 0, deleteAfterReorg: false });
  const facts = new Map(txs.map((tx) => [toHex(tx.hash), tx]));
  const invalid = new Set<string>();
  const checked: string[] = [];
  const validator = {
    async received(_tx: unknown, hash: Uint8Array) {
      const key = toHex(hash);
      checked.push(key);
      await new Promise((resolve) => setImmediate(resolve));
      const found = facts.get(key);
      if (found === undefined || invalid.has(key)) {
        return { facts: found!, verdict: { result: "invalid" as const, reason: ["Incorrect tx hash"] } };
      }
      return { facts: found, verdict: { result: "valid" as const } };
    },
  };
  return {
    world,
    pool,
    validator,
    invalid,
    checked,
    collected: new CollectedTxs({ validator, pool, logger: silentLogger }),
  };
}

/** Handlers of a peer that has some txs, and maybe knows the block. */
export function peerHandlers(
  has: readonly TxFacts[],
  { block, archive = ARCHIVE_ROOT }: { block?: readonly Uint8Array[]; archive?: Uint8Array } = {},
): RequestHandlers {
  const bodies = new Map(has.map((tx) => [toHex(tx.hash), bytesOf(tx)]));
  const served = {
    txBytes: (hash: Uint8Array) => bodies.get(toHex(hash)),
    hasTx: (hash: Uint8Array) => bodies.has(toHex(hash)),
  };
  const blocks = { txHashesOf: (root: Uint8Array) => (toHex(root) === toHex(archive) ? block : undefined) };
  return { tx: txHandler(served), block_txs: blockTxsHandler(served, blocks) };
}

export interface AskedRequest {
  peer: string;
  protocol: string;
  bytes: Uint8Array;
  at: number;
}

type Respond = (request: AskedRequest) => RequestAnswer | undefined | Promise<RequestAnswer | undefined>;

/** Peers in memory. `respond` replaces the answer of a peer where it gives one. */
export class MemoryPeers implements RequestClient {
  readonly asked: AskedRequest[] = [];
  readonly penalized: { peer: string; tolerance: Tolerance; reason: string }[] = [];
  readonly #handlers = new Map<string, RequestHandlers>();
  readonly #busy = new Map<string, number>();
  /** Most requests that one peer, and all peers, had at once. */
  maxOfOne = 0;
  maxAtOnce = 0;
  delayMs = 1;
  respond: Respond = () => undefined;

  add(id: string, handlers: RequestHandlers): this {
    this.#handlers.set(id, handlers);
    return this;
  }

  leave(id: string): void {
    this.#handlers.delete(id);
  }

  readonly peers = { leastBusy: () => [...this.#handlers.keys()] };
  readonly penalties = {
    penalize: (peer: string, tolerance: Tolerance, reason: string) =>
      void this.penalized.push({ peer, tolerance, reason }),
  };

  of(peer: string): AskedRequest[] {
    return this.asked.filter((request) => request.peer === peer);
  }

  async request(
    peer: string,
    protocol: Parameters<RequestClient["request"]>[1],
    bytes: Uint8Array,
    options: Parameters<RequestClient["request"]>[3] = {},
  ): Promise<RequestAnswer> {
    const request = { peer, protocol, bytes, at: performance.now() };
    this.asked.push(request);
    const own = (this.#busy.get(peer) ?? 0) + 1;
    this.#busy.set(peer, own);
    this.maxOfOne = Math.max(this.maxOfOne, own);
    this.maxAtOnce = Math.max(
      this.maxAtOnce,
      [...this.#busy.values()].reduce((a, b) => a + b, 0),
    );
    try {
      await sleep(this.delayMs, undefined, { ref: false });
      if (options.signal?.aborted) return { status: RequestStatus.FAILURE, body: new Uint8Array() };
      const given = await this.respond(request);
      if (given !== undefined) return given;
      const handler = this.#handlers.get(peer)?.[protocol];
      if (handler === undefined) return { status: RequestStatus.FAILURE, body: new Uint8Array() };
      return (await handler({ peer, bytes, room: 8 * 2 ** 20 } as Parameters<typeof handler>[0])) as RequestAnswer;
    } finally {
      this.#busy.set(peer, (this.#busy.get(peer) ?? 1) - 1);
    }
  }
}

/** A request for the txs of a block, for a proposal of slot 5. */
export function requestFor(
  txs: readonly TxFacts[],
  changes: Partial<Omit<CollectionRequest, "missing">> = {},
): CollectionRequest {
  const hashes = hashesOf(txs);
  return {
    purpose: { proposalOfSlot: 5 },
    hashes,
    missing: new MissingTxs(hashes),
    archive: ARCHIVE_ROOT,
    peer: undefined,
    deadline: Date.now() + 120_000,
    ...changes,
  };
}

/** Waits for a condition; fails after a minute. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  for (let waited = 0; !holds(); waited++) {
    if (waited > 6000) throw new Error(`did not happen: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
