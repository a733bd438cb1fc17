import { equal } from "../protocol/bytes.ts";
import type { L1Block } from "./types.ts";

/** Asks for the latest L1 block; calls made while an answer is under way share it. */
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
 * One value per L1 block: what was read at a block is reused until another block is asked about. Blocks are told apart by hash, so that a
 * replaced block is read anew. Concurrent callers share one read; a failed one is forgotten.
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
