import { equal } from "../protocol/bytes.ts";
import { ContractRevertError } from "./errors.ts";
import type { L1Block } from "./types.ts";

/** How often a value of the latest block is read where each read reverts. */
const MAX_READS = 3;

/**
 * A value that takes several calls pinned to the latest block's number. Between two of them that number may come to
 * stand for another state: after a reorg, at another endpoint, and at anvil, which answers a call that waits for a
 * block being mined from the state after that block. A call made with the answer of an earlier one may then revert: the
 * value is read again, at the block that is the latest by then.
 */
export async function readAtLatest<T>(
  latestBlock: () => Promise<L1Block>,
  readAt: (block: L1Block) => Promise<T>,
): Promise<T> {
  for (let reads = 1; ; reads++) {
    try {
      return await readAt(await latestBlock());
    } catch (error) {
      if (!(error instanceof ContractRevertError) || reads === MAX_READS) throw error;
    }
  }
}

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
