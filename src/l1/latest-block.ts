import { equal } from "../protocol/bytes.ts";
import type { L1Block } from "./types.ts";

/** Reads the latest L1 block. Concurrent calls share one request. */
export function sharedLatestBlock(latestBlock: () => Promise<L1Block>): () => Promise<L1Block> {
  let underWay: Promise<L1Block> | undefined;
  return () => {
    underWay ??= latestBlock().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}

/**
 * Caches a value for one L1 block, until another block is requested. Blocks are identified by hash, so a reorg causes a
 * new read. Concurrent callers share one read; a failed read is not cached.
 */
export class PerL1Block<T> {
  readonly #readAt: (block: L1Block) => Promise<T>;
  #hash: Uint8Array | undefined;
  #value: Promise<T> | undefined;

  constructor(readAt: (block: L1Block) => Promise<T>) {
    this.#readAt = readAt;
  }

  at(block: L1Block): Promise<T> {
    if (this.#value !== undefined && this.#hash !== undefined && equal(this.#hash, block.hash)) return this.#value;
    const value = this.#readAt(block);
    this.#hash = block.hash;
    this.#value = value;
    value.catch(() => {
      if (this.#value === value) this.#value = undefined;
    });
    return value;
  }
}
