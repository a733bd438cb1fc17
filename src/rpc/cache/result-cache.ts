import { equal } from "../../protocol/bytes.ts";

/**
 * How long the result of a call holds. A number: as long as the block of that number and those before it are on the chain.
 * "commit": until the next commit to the store. undefined: it is not kept at all.
 */
export type Lifetime = number | "commit" | undefined;

/** The chain as a cache has to know it. All reads of one synchronous run after `version` see the same or a later state. */
export interface CachedChain {
  /** Changes with every commit. Reads that follow see what was committed when it was read. */
  version(): number;
  latestBlockNumber(): number;
  /** Undefined for a block that is not on the chain. */
  blockHash(number: number): Uint8Array | undefined;
}

export interface ResultCacheOptions {
  /** Most bytes of texts and keys. */
  maxBytes: number;
  chain: CachedChain;
}

/** Bytes that an entry takes beside its text and key. */
const ENTRY_BYTES = 200;
/** A single text may take this part of the whole. */
const LARGEST_PART = 8;

interface Entry {
  readonly results: Map<string, Entry>;
  readonly key: string;
  readonly text: Uint8Array;
  readonly bytes: number;
  /** Asked for since it was last looked at for its place. */
  used: boolean;
}

/** The kept results of one method by the JSON text of the params. */
export type MethodResults = Map<string, unknown>;

/**
 * JSON texts of results, by method and params, within a bound of bytes; what was not asked for lately makes room (second chance). Each
 * result holds for a commit or rests on a block. A block's hash stands for everything up to it, so at each new
 * commit one comparison tells whether the chain up to the last known tip is still there; if not, nothing is kept.
 */
export class ResultCache {
  readonly #maxBytes: number;
  readonly #chain: CachedChain;
  /** In the order in which they are considered for making room. */
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

  /** Forgets what no longer holds. To be called before a request is looked at: its reads then see the latest commit. */
  renew(): void {
    const version = this.#chain.version();
    if (version !== this.#version) this.#renew(version);
  }

  /** The kept text. */
  get(results: MethodResults, key: string): Uint8Array | undefined {
    const entry = results.get(key) as Entry | undefined;
    if (entry === undefined) return undefined;
    entry.used = true;
    return entry.text;
  }

  /** Keeps a copy of `text`, which has to come from reads after a `renew` in the same synchronous run. */
  put(results: MethodResults, key: string, text: Uint8Array, lifetime: Lifetime): void {
    if (lifetime === undefined) return;
    const bytes = text.length + key.length + ENTRY_BYTES;
    if (bytes > this.#maxBytes / LARGEST_PART) return;
    const former = results.get(key) as Entry | undefined;
    if (former !== undefined) this.#remove(former);
    const own = results as Map<string, Entry>;
    const entry: Entry = { results: own, key, text: new Uint8Array(text), bytes, used: false };
    own.set(key, entry);
    this.#entries.add(entry);
    this.#bytes += bytes;
    // A block above the anchor may have been read from a later state, and nothing would tell of its removal.
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
