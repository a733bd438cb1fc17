import { equal } from "../../protocol/bytes.ts";

/**
 * How long the result of a call stays valid. A number: while the block of that number and all before it are on the
 * chain. "commit": until the next commit to the store. undefined: it is not cached.
 */
export type Lifetime = number | "commit" | undefined;

/** What a cache needs of the chain. All reads of one synchronous run after `version` see that state or a later one. */
interface CachedChain {
  /** Changes with every commit. Later reads see at least the commits that this version counts. */
  version(): number;
  latestBlockNumber(): number;
  /** Undefined if the chain has no such block. */
  blockHash(number: number): Uint8Array | undefined;
}

interface ResultCacheOptions {
  /** Most bytes of texts and keys. */
  maxBytes: number;
  chain: CachedChain;
}

/** Memory overhead of an entry beside its text and key, in bytes. */
const ENTRY_BYTES = 200;
/** What a single text may take of the cache. */
const MAX_SHARE = 1 / 8;

interface Entry {
  readonly results: Map<string, Entry>;
  readonly key: string;
  readonly text: Uint8Array;
  readonly bytes: number;
  /** Whether it was requested since the last eviction scan passed it. */
  used: boolean;
}

/** Cached results of one method, by the JSON text of their params. */
export type MethodResults = Map<string, unknown>;

/**
 * Caches JSON texts of results by method and params, bounded in bytes; eviction is second chance. Each result is valid
 * until the next commit or depends on a block. A block's hash stands for the whole chain up to it, so after each commit
 * one comparison tells whether the last known tip is still on the chain. If it is not, the cache is emptied.
 */
export class ResultCache {
  readonly #maxBytes: number;
  readonly #chain: CachedChain;
  /** In the order in which eviction considers them. */
  readonly #entries = new Set<Entry>();
  readonly #ofThisCommit = new Set<Entry>();
  #bytes = 0;
  #version = Number.NaN;
  #anchor: { number: number; hash: Uint8Array } | undefined;

  constructor({ maxBytes, chain }: ResultCacheOptions) {
    this.#maxBytes = maxBytes;
    this.#chain = chain;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Drops invalid entries. Call it before handling a request: the request's reads then see the latest commit. */
  renew(): void {
    const version = this.#chain.version();
    if (version !== this.#version) this.#renew(version);
  }

  /**
   * The tip of the chain, not older than any read so far in this synchronous run. The same object until a commit.
   * Undefined if there is no block.
   */
  tip(): { readonly number: number; readonly hash: Uint8Array } | undefined {
    this.renew();
    return this.#anchor;
  }

  /** The cached text. */
  get(results: MethodResults, key: string): Uint8Array | undefined {
    const entry = results.get(key) as Entry | undefined;
    if (entry === undefined) return undefined;
    entry.used = true;
    return entry.text;
  }

  /** Caches a copy of `text`. It must come from reads after `renew` in the same synchronous run. */
  put(results: MethodResults, key: string, text: Uint8Array, lifetime: Lifetime): void {
    if (lifetime === undefined) return;
    const bytes = text.length + key.length + ENTRY_BYTES;
    if (bytes > this.#maxBytes * MAX_SHARE) return;
    const former = results.get(key) as Entry | undefined;
    if (former !== undefined) this.#remove(former);
    const own = results as Map<string, Entry>;
    const entry: Entry = { results: own, key, text: new Uint8Array(text), bytes, used: false };
    own.set(key, entry);
    this.#entries.add(entry);
    this.#bytes += bytes;
    // A block above the anchor may come from a later state, and its removal would not be noticed.
    const lasting = typeof lifetime === "number" && this.#anchor !== undefined && lifetime <= this.#anchor.number;
    if (!lasting) this.#ofThisCommit.add(entry);
    this.#makeRoom();
  }

  #renew(version: number): void {
    this.#version = version;
    const anchor = this.#anchor;
    const hash = anchor && this.#chain.blockHash(anchor.number);
    if (anchor === undefined || hash === undefined || !equal(hash, anchor.hash)) this.#clear();
    for (const entry of this.#ofThisCommit) this.#remove(entry);
    const number = this.#chain.latestBlockNumber();
    const tip = this.#chain.blockHash(number);
    this.#anchor = tip && { number, hash: new Uint8Array(tip) };
  }

  #makeRoom(): void {
    for (const entry of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return;
      if (!entry.used) this.#remove(entry);
      else {
        entry.used = false;
        this.#entries.delete(entry);
        this.#entries.add(entry);
      }
    }
  }

  #remove(entry: Entry): void {
    if (!this.#entries.delete(entry)) return;
    this.#ofThisCommit.delete(entry);
    this.#bytes -= entry.bytes;
    if (entry.results.get(entry.key) === entry) entry.results.delete(entry.key);
  }

  #clear(): void {
    for (const entry of [...this.#entries]) this.#remove(entry);
  }
}
