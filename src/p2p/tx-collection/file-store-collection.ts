import { mapKey } from "../../protocol/bytes.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { CollectedFor, TakesTxs } from "./collected-txs.ts";
import type { CollectionRequest } from "./collection-request.ts";
import type { FileTxSource } from "./file-store-source.ts";

export interface FileStoreTiming {
  /** From the request to the first attempt. */
  delayMs: number;
  /** Attempts at once. */
  workers: number;
  /** Pause after all stores were asked once; it doubles with each round up to the maximum. */
  backoffBaseMs: number;
  backoffMaxMs: number;
}

export interface FileStoreCollectionParts {
  /** At least one. */
  sources: readonly Pick<FileTxSource, "name" | "tx">[];
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
  /** Index of the next source. */
  source: number;
  attempts: number;
  /** Unix milliseconds of the next attempt. */
  at: number;
  isBusy: boolean;
}

/** Hashes at once; those beyond it are not looked for in file stores. */
const MOST_WANTED = 20_000;

/**
 * Looks for txs in file stores, one store after the other, beginning with a random one
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
    const { sources, now } = this.#parts;
    const at = now() + this.#timing.delayMs;
    for (const hash of missing.hashes()) {
      const key = mapKey(hash);
      if (this.#wanted.has(key) || this.#wanted.size >= MOST_WANTED) continue;
      const source = Math.floor(Math.random() * sources.length);
      this.#wanted.set(key, { hash, purpose, missing, deadline, source, attempts: 0, at, isBusy: false });
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
    const due = idle.filter(({ at }) => at <= now).sort((a, b) => a.attempts - b.attempts);
    const started = due.slice(0, Math.max(0, this.#timing.workers - this.#busy));
    for (const wanted of started) void this.#attempt(wanted);
    const next = Math.min(...idle.filter(({ at }) => at > now).map(({ at }) => at));
    if (!Number.isFinite(next)) return;
    this.#timer = setTimeout(() => this.#schedule(), next - now);
    this.#timer.unref();
  }

  async #attempt(wanted: Wanted): Promise<void> {
    const { sources, collected, now, logger } = this.#parts;
    const { hash, purpose, missing } = wanted;
    const source = sources[wanted.source];
    wanted.isBusy = true;
    this.#busy++;
    try {
      const tx = await source.tx(hash, this.#stopping.signal);
      const { added } = await collected.take(tx === undefined || !missing.has(hash) ? [] : [tx], purpose);
      for (const found of added) missing.found(found);
    } catch (error) {
      logger.debug({ store: source.name, err: String(error) }, "file store {store} gives no transaction");
    }
    this.#busy--;
    wanted.isBusy = false;
    wanted.attempts++;
    wanted.source = (wanted.source + 1) % sources.length;
    const rounds = wanted.attempts / sources.length;
    const { backoffBaseMs, backoffMaxMs } = this.#timing;
    if (Number.isInteger(rounds)) wanted.at = now() + Math.min(backoffBaseMs * 2 ** (rounds - 1), backoffMaxMs);
    if (!missing.has(hash)) this.#wanted.delete(mapKey(hash));
    this.#schedule();
  }
}
