import type { ChainStore } from "../../archiver/chain-store.ts";
import type { RebuiltBlock } from "../../archiver/rebuilt-checkpoint.ts";
import type { BlobSponge, Core } from "../../core/core.ts";
import { type BlockHeader, HEADER_AT } from "../../protocol/block-header.ts";
import { equal, toHex } from "../../protocol/bytes.ts";
import { blockWords } from "../../protocol/checkpoint-blob-writer.ts";
import { FR_ZERO } from "../../protocol/field.ts";
import type { Difference } from "./errors.ts";

/** The blob sponge after a block. */
interface Absorbed {
  hash: Uint8Array;
  sponge: BlobSponge;
}

/**
 * Checks what a proposed block's header says of its txs beside the roots: their fees and the sponge over the
 * checkpoint's words. For the blocks of a checkpoint both follow from its words when it is rebuilt.
 */
export class ProposedHeaders {
  readonly #core: Core;
  readonly #chain: ChainStore;
  /** Of the last block that was checked, so that each block's words are absorbed once. */
  #last: Absorbed | undefined;

  constructor(core: Core, chain: ChainStore) {
    this.#core = core;
    this.#chain = chain;
  }

  /** What the header of a block on top of the chain is wrong about. */
  difference({ record, body, txs }: Pick<RebuiltBlock, "record" | "body" | "txs">): Difference | undefined {
    const { header, number, indexWithinCheckpoint, txCount } = record;
    const fees = txs.reduce((sum, tx) => this.#core.field.add(sum, tx.transactionFee), FR_ZERO);
    const sponge = indexWithinCheckpoint === 0 ? this.#core.blobSponge() : this.#spongeAfter(number - 1);
    sponge.absorb(blockWords({ header, body, txCount }, indexWithinCheckpoint === 0));
    this.#last = { hash: record.hash, sponge };
    return (
      differing(`fees of proposed block ${number}`, fees, header, HEADER_AT.totalFees) ??
      differing(`blob hash of proposed block ${number}`, sponge.squeeze(), header, HEADER_AT.spongeBlobHash)
    );
  }

  #spongeAfter(number: number): BlobSponge {
    const last = this.#chain.block(number);
    if (last === undefined) return this.#core.blobSponge();
    if (this.#last !== undefined && equal(this.#last.hash, last.hash)) return this.#last.sponge;
    const sponge = this.#core.blobSponge();
    for (let n = number - last.indexWithinCheckpoint; n <= number; n++) {
      const { header, txCount, indexWithinCheckpoint } = this.#chain.block(n)!;
      sponge.absorb(blockWords({ header, txCount, body: this.#chain.blockBody(n)! }, indexWithinCheckpoint === 0));
    }
    return sponge;
  }
}

function differing(field: string, expected: Uint8Array, header: BlockHeader, at: number): Difference | undefined {
  const got = header.subarray(at, at + 32);
  return equal(expected, got) ? undefined : { field, expected: toHex(expected), got: toHex(got) };
}
