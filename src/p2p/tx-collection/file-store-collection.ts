import type { CollectedTx } from "../../checkpoints/proposals/proposal-txs.ts";
import { AllEndpointsFailed, type Endpoint, hedgedCall } from "../../endpoints/hedged-call.ts";
import { isServerOutage } from "../../http/errors.ts";
import { mapKey } from "../../protocol/bytes.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { CollectedFor, TakesTxs } from "./collected-txs.ts";
import type { CollectionRequest } from "./collection-request.ts";
import type { FileTxSource } from "./file-store-source.ts";

export interface FileStoreTiming {
  /** From the request to the first attempt. */
  delayMs: number;
  /** Txs that are asked for at once. */
  workers: number;
  /** Pause after all stores were asked once; it doubles with each round up to the maximum. */
  backoffBaseMs: number;
  backoffMaxMs: number;
}

/** A store with its health. */
export interface AskedTxStore extends Endpoint {
  readonly source: Pick<FileTxSource, "name" | "tx">;
}

interface FileStoreCollectionParts {
  /** At least one. */
  sources: readonly AskedTxStore[];
  collected: TakesTxs;
  /** Unix milliseconds. */
  now(): number;
  logger: Logger;
}

type FileRequest = Pick<CollectionRequest, "purpose" | "missing" | "deadline">;

interface Wanted {
  hash: Uint8Array;
  purpose: CollectedFor;
  /** Told when the tx was found. */
  missing: FileRequest["missing"];
  /** Unix milliseconds. */
  deadline: number;
  /** How often all stores were asked. */
  rounds: number;
  /** Unix milliseconds of the next attempt. */
  at: number;
  isBusy: boolean;
}

/** Hashes at once; those beyond it are not looked for in file stores. */
const MAX_WANTED = 20_000;

/** The store works, and does not have the tx. */
class AbsentTxError extends Error {}

/**
 * Looks for txs in file stores, beginning with a random one of those that answer, by the policy of src/endpoints
 * (docs/protocol/10-peers.md#1015-collecting-transactions).
 */
export class FileStoreCollection {
  readonly #parts: FileStoreCollectionParts;
  readonly #timing: FileStoreTiming;
  readonly #wanted = new Map<string, Wanted>();
  readonly #stopping = new AbortController();
  #busy = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: FileStoreCollectionParts, timing: FileStoreTiming) {
    this.#parts = parts;
    this.#timing = timing;
  }

  /** Looks for what is still missing after the delay. */
  add({ missing, purpose, deadline }: FileRequest): void {
    const { now } = this.#parts;
    const at = now() + this.#timing.delayMs;
    for (const hash of missing.hashes()) {
      const key = mapKey(hash);
      if (this.#wanted.has(key) || this.#wanted.size >= MAX_WANTED) continue;
      this.#wanted.set(key, { hash, purpose, missing, deadline, rounds: 0, at, isBusy: false });
    }
    this.#schedule();
  }

  /** A tx came into the pool, from wherever. */
  found(hash: Uint8Array): void {
    this.#wanted.delete(mapKey(hash));
  }

  /** Ends the search for txs of the requests that match. */
  drop(matches: (purpose: CollectedFor) => boolean): void {
    for (const [key, { purpose }] of this.#wanted) if (matches(purpose)) this.#wanted.delete(key);
  }

  /** Hashes that are looked for. */
  get size(): number {
    return this.#wanted.size;
  }

  stop(): void {
    this.#stopping.abort();
    this.#wanted.clear();
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#stopping.signal.aborted || this.#wanted.size === 0) return;
    const now = this.#parts.now();
    for (const [key, { deadline }] of this.#wanted) if (deadline <= now) this.#wanted.delete(key);
    const idle = [...this.#wanted.values()].filter(({ isBusy }) => !isBusy);
    const due = idle.filter(({ at }) => at <= now).sort((a, b) => a.rounds - b.rounds);
    const started = due.slice(0, Math.max(0, this.#timing.workers - this.#busy));
    for (const wanted of started) void this.#ask(wanted);
    const next = Math.min(...idle.filter(({ at }) => at > now).map(({ at }) => at));
    if (!Number.isFinite(next)) return;
    this.#timer = setTimeout(() => this.#schedule(), next - now);
    this.#timer.unref();
  }

  async #ask(wanted: Wanted): Promise<void> {
    const { collected, now, logger } = this.#parts;
    const { hash, purpose, missing } = wanted;
    wanted.isBusy = true;
    this.#busy++;
    try {
      const tx = await this.#find(hash);
      const { added } = await collected.take(missing.has(hash) ? [tx] : [], purpose);
      for (const found of added) missing.found(found);
    } catch (error) {
      const failures = error instanceof AllEndpointsFailed ? error.failures.map((failure) => failure.error) : [error];
      const errors = failures.filter((failure) => !(failure instanceof AbsentTxError)).map(String);
      if (errors.length > 0) logger.debug({ errors }, "no file store gives a transaction, and some fail");
    }
    this.#busy--;
    wanted.isBusy = false;
    const { backoffBaseMs, backoffMaxMs } = this.#timing;
    wanted.at = now() + Math.min(backoffBaseMs * 2 ** wanted.rounds++, backoffMaxMs);
    if (!missing.has(hash)) this.#wanted.delete(mapKey(hash));
    this.#schedule();
  }

  #find(hash: Uint8Array): Promise<CollectedTx> {
    const { sources } = this.#parts;
    const first = Math.floor(Math.random() * sources.length);
    const ask = async ({ source }: AskedTxStore, signal: AbortSignal): Promise<CollectedTx> => {
      const tx = await source.tx(hash, signal);
      if (tx === undefined) throw new AbsentTxError();
      return tx;
    };
    return hedgedCall([...sources.slice(first), ...sources.slice(0, first)], ask, {
      ...{ kind: "tx", isOutage: isServerOutage, isFinal: () => false, signal: this.#stopping.signal },
    });
  }
}
