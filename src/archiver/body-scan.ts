import { readTxEffect, type TxEffect } from "../protocol/tx-effect.ts";
import type { BlockRecord } from "./tables/records.ts";
import type { ChainReader } from "./types.ts";

/**
 * Reads blocks and txs during one walk in chain order; neighbours in the same block or tx cost one read. Lives for one
 * synchronous query.
 */
export class BodyScan {
  readonly #chain: Pick<ChainReader, "block" | "blockBody">;
  #block: BlockRecord | undefined;
  #body: { block: number; words: Uint8Array } | undefined;
  #tx: { block: number; offset: number; effect: TxEffect } | undefined;

  constructor(chain: Pick<ChainReader, "block" | "blockBody">) {
    this.#chain = chain;
  }

  /** A block that is on the chain. */
  block(number: number): BlockRecord {
    if (this.#block?.number !== number) this.#block = this.#chain.block(number)!;
    return this.#block;
  }

  /** The tx that starts at word `offset` of a block's body. */
  tx(block: number, offset: number): TxEffect {
    if (this.#tx?.block !== block || this.#tx.offset !== offset) {
      if (this.#body?.block !== block) this.#body = { block, words: this.#chain.blockBody(block)! };
      this.#tx = { block, offset, effect: readTxEffect(this.#body.words, offset).effect };
    }
    return this.#tx.effect;
  }
}
