import { equal, isZero, mapKey } from "../../protocol/bytes.ts";
import { DecodeError } from "../../protocol/errors.ts";
import type { TransactionRules } from "../../protocol/generations/transactions.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { PeerPenalties } from "../peers/penalties.ts";
import { type RequestAnswer, type RequestClient, RequestStatus } from "../peers/request-client.ts";
import { BitVector } from "../reqresp/codecs/bit-vector.ts";
import {
  type BlockTxsResponse,
  decodeBlockTxsResponse,
  encodeBlockTxsRequest,
} from "../reqresp/codecs/block-txs-message.ts";
import { type AskedPeer, AskedPeers } from "./asked-peers.ts";
import type { TakesTxs } from "./collected-txs.ts";
import { type CollectionRequest, takeMissing } from "./collection-request.ts";
import type { BatchTxRequesterOptions } from "./options.ts";
import type { RequestPace } from "./request-pace.ts";
import type { RequestPeers } from "./request-peers.ts";
import { TxChoice } from "./tx-choice.ts";

interface BatchTxRequesterParts {
  client: RequestClient;
  peers: RequestPeers;
  penalties: PeerPenalties;
  /** Shared by all searches. */
  pace: RequestPace;
  collected: TakesTxs;
  /** Forms of the answers' txs. */
  transactions: TransactionRules;
  logger: Logger;
}

/** Time between two looks at the connected peers. */
const PEERS_EVERY_MS = 500;

/**
 * Asks peers for a block's missing txs in batches, until none is missing or `signal` aborts
 * (docs/protocol/10-peers.md#1015-collecting-transactions). Never rejects.
 */
export async function requestBatches(
  parts: BatchTxRequesterParts,
  options: BatchTxRequesterOptions,
  request: CollectionRequest,
  signal: AbortSignal,
): Promise<void> {
  if (request.missing.size === 0 || signal.aborted) return;
  const run = new BatchRun(parts, options, request);
  const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  try {
    run.start();
    await Promise.race([request.missing.complete, aborted]);
  } finally {
    run.stop();
  }
}

class BatchRun {
  readonly #parts: BatchTxRequesterParts;
  readonly #options: BatchTxRequesterOptions;
  readonly #request: CollectionRequest;
  readonly #peers: AskedPeers;
  readonly #choice: TxChoice;
  readonly #ended = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: BatchTxRequesterParts, options: BatchTxRequesterOptions, request: CollectionRequest) {
    this.#parts = parts;
    this.#options = options;
    this.#request = request;
    this.#peers = new AskedPeers(request.peer, options.batchTxRequesterBadPeerThreshold, parts.pace);
    this.#choice = new TxChoice(request.hashes, request.missing, options.batchTxRequesterTxBatchSize);
  }

  start(): void {
    this.#pump();
  }

  stop(): void {
    this.#ended.abort();
    clearTimeout(this.#timer);
  }

  /** Starts requests to all peers that are free, within the limits of their roles. Never throws. */
  #pump(): void {
    try {
      this.#askFree();
    } catch (error) {
      this.#parts.logger.warn({ err: error }, "asking peers for transactions failed");
    }
  }

  #askFree(): void {
    if (this.#ended.signal.aborted || this.#request.missing.size === 0) return;
    const now = performance.now();
    this.#peers.connected(this.#parts.peers.leastBusy());
    const limits = {
      pinned: 1,
      smart: this.#options.batchTxRequesterSmartParallelWorkerCount,
      dumb: this.#options.batchTxRequesterDumbParallelWorkerCount,
    };
    for (const role of ["pinned", "smart", "dumb"] as const) {
      for (const peer of this.#peers.free(role, limits[role], now)) void this.#ask(peer);
    }
    clearTimeout(this.#timer);
    const wakeMs = Math.min(PEERS_EVERY_MS, this.#peers.nextFreeAt(now) - now);
    this.#timer = setTimeout(() => this.#pump(), Math.max(1, wakeMs));
  }

  async #ask(peer: AskedPeer): Promise<void> {
    const { archive, hashes } = this.#request;
    const indices = this.#choice.next(peer.available);
    const wanted = BitVector.of(hashes.length, indices);
    const listed = peer.role === "dumb" ? indices.map((index) => hashes[index]) : [];
    this.#peers.begin(peer, performance.now());
    this.#choice.begin(indices);
    let added = 0;
    try {
      const bytes = encodeBlockTxsRequest({ archive, hashes: listed, wanted });
      const { signal } = this.#ended;
      const answer = await this.#parts.client.request(peer.id, "block_txs", bytes, { signal });
      if (!signal.aborted) added = await this.#take(peer, answer, indices.length);
    } catch (error) {
      this.#parts.logger.warn({ peer: peer.id, err: error }, "an answer of {peer} could not be processed");
    }
    this.#choice.end(indices);
    this.#peers.end(peer, performance.now(), added > 0);
    this.#pump();
  }

  /** Returns how many missing txs the answer had. */
  async #take(peer: AskedPeer, { status, body }: RequestAnswer, asked: number): Promise<number> {
    const { penalties } = this.#parts;
    switch (status) {
      case RequestStatus.SUCCESS:
        break;
      case RequestStatus.FAILURE:
        // The request client has penalized the peer if it was at fault.
        this.#peers.failed(peer);
        return 0;
      case RequestStatus.UNKNOWN:
        this.#peers.failed(peer);
        penalties.penalize(peer.id, "high", "its answer about transactions of a block has no valid status");
        return 0;
      case RequestStatus.RATE_LIMIT_EXCEEDED:
        this.#peers.rateLimited(peer, performance.now());
        return 0;
      case RequestStatus.NOT_FOUND:
        // It does not know the block, so only hashes can help.
        peer.role = "dumb";
        return 0;
      default:
        return 0;
    }
    const response = this.#decoded(peer, body);
    if (response === undefined) return 0;
    this.#learn(peer, response);
    const { added, invalid } = await takeMissing(this.#parts.collected, this.#request, distinct(response.txs, asked));
    if (invalid.length === 0) this.#peers.succeeded(peer);
    else {
      this.#peers.failed(peer);
      penalties.penalize(peer.id, "low", "it sent an invalid transaction of a block");
    }
    return added.length;
  }

  #decoded(peer: AskedPeer, body: Uint8Array): BlockTxsResponse | undefined {
    try {
      return decodeBlockTxsResponse(body, this.#parts.transactions);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      this.#peers.failed(peer);
      this.#parts.penalties.penalize(peer.id, "high", error.message);
      return undefined;
    }
  }

  /** A peer that knows the block says which of its txs it has. */
  #learn(peer: AskedPeer, { archive, available }: Pick<BlockTxsResponse, "archive" | "available">): void {
    const { hashes, missing } = this.#request;
    if (isZero(archive) || !equal(archive, this.#request.archive) || available.length !== hashes.length) return;
    const indices = available.indices();
    peer.available = new Set(indices);
    if (peer.role === "dumb" && indices.some((index) => missing.has(hashes[index]))) peer.role = "smart";
  }
}

/** Txs of an answer without repetitions, no more than were asked for. */
function distinct(txs: BlockTxsResponse["txs"], most: number): BlockTxsResponse["txs"] {
  const byHash = new Map(txs.map((tx) => [mapKey(tx.hash), tx]));
  return [...byHash.values()].slice(0, most);
}
