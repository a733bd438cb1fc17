import { readTxEffect, type TxEffect } from "../protocol/tx-effect.ts";
import type { BlockRecord, ChainReader } from "./types.ts";

/** Blocks and txs along one walk in chain order: of neighbours in the same block or tx, each is read once. Lives for one synchronous query. */
export class BodyScan {
  readonly #chain: Pick<ChainReader, "block" | "blockBody">;
  #block: BlockRecord | undefined;
  #body: { block: number; words: Uint8Array } | undefined;
  #tx: { block: number; offset: number; effect: TxEffect } | undefined;

  constructor(chain: Pick<ChainReader, "block" | "blockBody">) {
    this.#chain = chain;
  }

  /** A block that the chain has. */
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
