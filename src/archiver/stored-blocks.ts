import { headerTimestamp } from "../protocol/block-header.ts";
import { equal, toHex } from "../protocol/bytes.ts";
import type { Generation } from "../protocol/generations/generation.ts";
import { readTxEffects, type TxEffect } from "../protocol/tx-effect.ts";
import type { Store } from "../storage/store.ts";
import { ContentIndex } from "./content-index.ts";
import type { RebuiltBlock } from "./rebuilt-checkpoint.ts";
import { BlockBodies } from "./tables/block-bodies.ts";
import { BlockHeaders } from "./tables/block-headers.ts";
import { NumberIndex } from "./tables/number-index.ts";
import type { BlockRecord } from "./tables/records.ts";
import { type TxLocation, Txs } from "./tables/txs.ts";
import type { BlockId, RemovedBlock } from "./types.ts";

const EMPTY = new Uint8Array(0);

/** Header of block 0 and its hash, from the world state. */
export type GenesisBlock = Pick<BlockRecord, "header" | "hash">;

/**
 * The rows of blocks: headers, bodies, and the indexes of hashes, archives, txs, logs and contracts. Genesis is block 0
 * and has no rows. Holds no state of its own; writes run inside the caller's Store.transaction.
 */
export class StoredBlocks {
  readonly #genesis: BlockRecord;
  readonly #toldGenesisHash: string | undefined;
  readonly #headers: BlockHeaders;
  readonly #bodies: BlockBodies;
  readonly #hashes: NumberIndex;
  readonly #archives: NumberIndex;
  readonly #txs: Txs;
  readonly #content: ContentIndex;

  constructor(store: Store, genesis: GenesisBlock, generation: Pick<Generation, "genesis" | "contracts">) {
    this.#toldGenesisHash = generation.genesis.blockHash;
    this.#genesis = {
      number: 0,
      hash: genesis.hash,
      header: genesis.header,
      archiveRoot: new Uint8Array(32),
      checkpointNumber: 0,
      indexWithinCheckpoint: 0,
      txCount: 0,
    };
    this.#headers = new BlockHeaders(store);
    this.#bodies = new BlockBodies(store);
    this.#hashes = new NumberIndex(store, "chain-block-hashes");
    this.#archives = new NumberIndex(store, "chain-archives");
    this.#txs = new Txs(store);
    this.#content = new ContentIndex(store, generation.contracts);
  }

  latestNumber(): number {
    return this.#headers.last();
  }

  get(number: number): BlockRecord | undefined {
    return number === 0 ? this.#genesis : this.#headers.get(number);
  }

  /** The block's number and its hash as tips show it. The block must be stored. */
  id(number: number): BlockId {
    const told = number === 0 ? this.#toldGenesisHash : undefined;
    return { number, hash: told ?? toHex(this.get(number)!.hash) };
  }

  body(number: number): Uint8Array | undefined {
    return number === 0 ? EMPTY : this.#bodies.get(number);
  }

  /** Effects of a stored block's txs, in order. */
  txEffects(number: number): TxEffect[] {
    return readTxEffects(this.body(number) ?? EMPTY);
  }

  numberByHash(hash: Uint8Array): number | undefined {
    return equal(hash, this.#genesis.hash) ? 0 : this.#hashes.get(hash);
  }

  numberByArchive(root: Uint8Array): number | undefined {
    return this.#archives.get(root);
  }

  txLocation(txHash: Uint8Array): TxLocation | undefined {
    return this.#txs.get(txHash);
  }

  /** Appends a block. */
  add({ record, body, txs, contractEvents }: RebuiltBlock): void {
    this.#headers.put(record);
    this.#bodies.put(record.number, body);
    this.#hashes.put(record.hash, record.number);
    this.#archives.put(record.archiveRoot, record.number);
    let wordOffset = 0;
    txs.forEach((tx, indexInBlock) => {
      const wordCount = tx.words.length / 32;
      this.#txs.add(tx.txHash, { block: record.number, indexInBlock, wordOffset, wordCount });
      wordOffset += wordCount;
    });
    this.#content.add({ number: record.number, timestamp: headerTimestamp(record.header), txs }, contractEvents);
  }

  /** Whether exactly this block is stored. */
  holds({ record, body }: Pick<RebuiltBlock, "record" | "body">): boolean {
    const stored = this.#headers.get(record.number);
    return (
      stored !== undefined &&
      equal(stored.archiveRoot, record.archiveRoot) &&
      equal(stored.header, record.header) &&
      equal(this.body(record.number) ?? EMPTY, body)
    );
  }

  /** Removes the blocks after `number`, with their txs and logs. @returns them, highest first. */
  removeAfter(number: number): RemovedBlock[] {
    const removed: RemovedBlock[] = [];
    for (let n = this.latestNumber(); n > number; n--) removed.push(this.#remove(n));
    return removed;
  }

  #remove(number: number): RemovedBlock {
    const block = this.#headers.get(number)!;
    const txs = this.txEffects(number);
    for (const { txHash } of txs) this.#txs.removeIfIn(txHash, number);
    this.#content.remove({ number, timestamp: headerTimestamp(block.header), txs });
    this.#headers.remove(number);
    this.#bodies.remove(number);
    this.#hashes.remove(block.hash);
    this.#archives.remove(block.archiveRoot);
    return { ...block, txHashes: txs.map(({ txHash }) => Uint8Array.from(txHash)) };
  }
}
