import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../../telemetry/logger.ts";
import type { CollectionRequest, MissingTxsCollector } from "./collection-request.ts";
import type { FileStoreCollection } from "./file-store-collection.ts";
import type { TxCollectionOptions } from "./options.ts";

interface FastCollectionParts {
  /** Undefined if no nodes are configured. */
  fromNodes: MissingTxsCollector | undefined;
  fromPeers: MissingTxsCollector;
  /** Undefined if no file stores are configured. */
  fileStores: Pick<FileStoreCollection, "add"> | undefined;
  /** Unix milliseconds. */
  now(): number;
  logger: Logger;
}

type FastCollectionOptions = Pick<TxCollectionOptions, "txCollectionFastNodesTimeoutBeforeReqRespMs">;

/** Requests to peers are not begun with less time than this. */
const MIN_MS_FOR_PEERS = 100;
/** Longest time that Node.js timers take. */
const MAX_MS = 2 ** 31 - 1;
/** Requests at once; further ones end without a search. Each is a block that arrived in one or two slots. */
const MAX_REQUESTS = 128;

/**
 * Collects txs that are needed within seconds: from nodes at once, from peers soon after, from file stores if it takes
 * long (docs/protocol/10-peers.md#1015-collecting-transactions).
 */
export class FastCollection {
  readonly #parts: FastCollectionParts;
  readonly #options: FastCollectionOptions;
  readonly #running = new Map<CollectionRequest, AbortController>();

  constructor(parts: FastCollectionParts, options: FastCollectionOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /** Whether a search is under way. */
  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** Resolves when nothing is missing, at the deadline, or when the request is stopped; then look at `missing`. */
  async collect(request: CollectionRequest, signal?: AbortSignal): Promise<void> {
    const leftMs = Math.min(Math.ceil(request.deadline - this.#parts.now()), MAX_MS);
    if (request.missing.size === 0 || leftMs <= 0 || this.#running.size >= MAX_REQUESTS) return;
    const stop = new AbortController();
    this.#running.set(request, stop);
    const ended = AbortSignal.any([stop.signal, AbortSignal.timeout(leftMs), ...(signal ? [signal] : [])]);
    try {
      await this.#search(request, ended);
    } finally {
      stop.abort();
      this.#running.delete(request);
    }
  }

  async #search(request: CollectionRequest, signal: AbortSignal): Promise<void> {
    const { fromNodes, fromPeers, fileStores, now, logger } = this.#parts;
    const { missing } = request;
    const over = Promise.race([missing.complete, aborted(signal)]);
    const nodes = fromNodes?.(request, signal);
    fileStores?.add(request);
    if (nodes !== undefined) {
      const pause = sleep(this.#options.txCollectionFastNodesTimeoutBeforeReqRespMs, undefined, { signal });
      await Promise.race([over, nodes, pause.catch(() => undefined)]);
    }
    if (missing.size > 0 && !signal.aborted && request.deadline - now() >= MIN_MS_FOR_PEERS) {
      void fromPeers(request, signal).catch((error: unknown) => {
        logger.warn({ err: error }, "asking peers for transactions failed");
      });
    }
    await over;
  }

  /** A tx came into the pool, from wherever. */
  found(hash: Uint8Array): void {
    for (const { missing } of this.#running.keys()) missing.found(hash);
  }

  /** Ends requests for mined blocks that match. */
  stop(matches: (minedBlock: number) => boolean): void {
    for (const [{ purpose }, stop] of this.#running) {
      if ("minedBlock" in purpose && matches(purpose.minedBlock)) stop.abort();
    }
  }

  stopAll(): void {
    for (const stop of this.#running.values()) stop.abort();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
