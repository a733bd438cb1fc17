import { equal, fromHex, toHex } from "../../protocol/bytes.ts";
import type { CommitWatch } from "../../storage/commit-watch.ts";
import type { Header } from "../jsonrpc/answer.ts";
import { clientNetwork } from "../limits/client-address.ts";
import { WaitingPlaces } from "../limits/waiting-places.ts";

/** On every answer of the public port: number and hash of the proposed tip that the answer was read at. */
export const BLOCK_HEADER = "x-svc-block";
/** In a request: the least block that it may be answered at, in the form of BLOCK_HEADER or as a number alone. */
export const MIN_BLOCK_HEADER = "x-svc-min-block";

export interface ChainTip {
  readonly number: number;
  readonly hash: Uint8Array;
}

/** A mark of how far a client has seen the chain. */
export interface MinBlock {
  readonly number: number;
  /** Undefined accepts any block of this number. */
  readonly hash?: Uint8Array;
}

/** What the chain's store has, as a thread reads it. */
interface TipReads {
  /**
   * The tip at the latest commit, at least that of all reads so far in this synchronous run. The same object until the
   * next commit. Undefined before genesis is stored.
   */
  tip(): ChainTip | undefined;
  /** Undefined if the chain has no such block. */
  blockHash(number: number): Uint8Array | undefined;
  readonly commits: CommitWatch;
}

/** Requests of one thread that may wait for a block at once; a further one is refused at once. */
const MAX_WAITING = 1_024;
const MAX_WAITING_PER_CLIENT = 256;
const MIN_BLOCK = /^(\d{1,10})(?: 0x([0-9a-fA-F]{64}))?$/;
const NO_HEADERS: readonly Header[] = [];

/** What a value of MIN_BLOCK_HEADER must be; for messages. */
export const MIN_BLOCK_RULE =
  "must be a block number of at most ten decimal digits, alone or followed by a space and the block's hash " +
  "(0x and 64 hex digits)";

/** Reads a value of MIN_BLOCK_HEADER; undefined if it breaks MIN_BLOCK_RULE. */
export function readMinBlock(text: string): MinBlock | undefined {
  const [, number, hash] = MIN_BLOCK.exec(text) ?? [];
  if (number === undefined) return undefined;
  return { number: Number(number), ...(hash !== undefined && { hash: fromHex(`0x${hash.toLowerCase()}`) }) };
}

/** A value of BLOCK_HEADER, which is also one of MIN_BLOCK_HEADER. */
export function blockHeaderValue({ number, hash }: ChainTip): string {
  return `${number} ${toHex(hash)}`;
}

/**
 * Lets a client read from several nodes, or processes, without ever seeing an older state than before. An answer names
 * the tip that it was read at; a request may name the least tip.
 */
export class Consistency {
  readonly #reads: TipReads;
  readonly #waitMs: number;
  readonly #places = new WaitingPlaces({ max: MAX_WAITING, maxPerClient: MAX_WAITING_PER_CLIENT });
  /** Number of the tip when `caughtUp` last gave up. */
  #stuckAt: number | undefined;
  #seen: ChainTip | undefined;
  #tip: ChainTip | undefined;
  #headers: readonly Header[] = NO_HEADERS;

  /** `waitMs`: the longest time for which a request waits for its block. */
  constructor(reads: TipReads, { waitMs }: { waitMs: number }) {
    this.#reads = reads;
    this.#waitMs = waitMs;
  }

  /**
   * BLOCK_HEADER for an answer whose reads are done: never older than they are. The same list until the tip changes;
   * empty before genesis is stored.
   */
  headers(): readonly Header[] {
    const tip = this.#reads.tip();
    if (tip === this.#seen) return this.#headers;
    this.#seen = tip;
    const last = this.#tip;
    const same = tip !== undefined && last !== undefined && tip.number === last.number && equal(tip.hash, last.hash);
    if (same) return this.#headers;
    // The store may reuse the memory of the hash.
    this.#tip = tip && { number: tip.number, hash: new Uint8Array(tip.hash) };
    this.#headers = this.#tip === undefined ? NO_HEADERS : [[BLOCK_HEADER, blockHeaderValue(this.#tip)]];
    return this.#headers;
  }

  /** Whether the chain has the block now. */
  has({ number, hash }: MinBlock): boolean {
    const tip = this.#reads.tip();
    if (tip === undefined || tip.number < number) return false;
    if (hash === undefined) return true;
    const own = tip.number === number ? tip.hash : this.#reads.blockHash(number);
    return own !== undefined && equal(own, hash);
  }

  /**
   * Resolves to whether the chain has the block, as soon as it has, or when `signal` aborts, or after `waitMs`, or when
   * there is no place to wait for a client with this address. Without an address the node itself waits.
   */
  reached(
    block: MinBlock,
    { address = "", signal }: { address?: string; signal?: AbortSignal } = {},
  ): Promise<boolean> {
    if (this.has(block)) return Promise.resolve(true);
    if (signal?.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const gone = (): void => end(false);
      const release = this.#places.take(clientNetwork(address), gone);
      if (release === undefined) return resolve(false);
      const end = (found: boolean): void => {
        release();
        clearTimeout(timer);
        unsubscribe();
        signal?.removeEventListener("abort", gone);
        resolve(found);
      };
      const timer = setTimeout(() => end(this.has(block)), this.#waitMs);
      const unsubscribe = this.#reads.commits.onCommit(() => {
        if (this.has(block)) end(true);
      });
      signal?.addEventListener("abort", gone, { once: true });
    });
  }

  /**
   * Waits as `reached` does, for a block that another node has. While the chain does not come closer to such blocks,
   * nothing waits for them.
   */
  async caughtUp(block: MinBlock): Promise<void> {
    if (this.has(block) || this.#stuckAt === this.#reads.tip()?.number) return;
    const reached = await this.reached(block);
    this.#stuckAt = reached ? undefined : this.#reads.tip()?.number;
  }

  /** Why a block that was waited for is not there; a sentence for the client. */
  missing({ number }: MinBlock): string {
    const tip = this.#reads.tip();
    if (tip !== undefined && tip.number >= number) {
      return `Block ${number} has another hash here: the chain was reorganised, or this node has not followed it yet`;
    }
    return `Block ${number} is not here yet: this node is at block ${tip?.number ?? "none"}`;
  }
}
