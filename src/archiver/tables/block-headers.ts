import { BLOCK_HEADER_BYTES } from "../../protocol/block-header.ts";
import { readU32, writeU32 } from "../../protocol/bytes.ts";
import type { Store } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";
import { LAST_NUMBER_KEY, numberKey } from "./keys.ts";
import type { BlockRecord } from "./records.ts";

/**
 * Blocks without their bodies, by number u32:
 *
 *   0 header 440 | 440 hash 32 | 472 archive root after the block 32 | 504 checkpoint u32
 *   508 index within it u32 | 512 txs u32
 */
const HASH_AT = BLOCK_HEADER_BYTES;
const ARCHIVE_AT = HASH_AT + 32;
const CHECKPOINT_AT = ARCHIVE_AT + 32;
const INDEX_AT = CHECKPOINT_AT + 4;
const TX_COUNT_AT = INDEX_AT + 4;
const BYTES = TX_COUNT_AT + 4;

export class BlockHeaders {
  readonly #table: Table;

  constructor(store: Store) {
    this.#table = store.table("chain-block-headers");
  }

  get(number: number): BlockRecord | undefined {
    const bytes = this.#table.get(numberKey(number));
    return bytes && decode(number, bytes);
  }

  /** Number of the highest block, 0 if there is none. */
  last(): number {
    const entry = this.#table.borrowAtOrBefore(LAST_NUMBER_KEY);
    return entry === undefined ? 0 : readU32(entry.key, 0);
  }

  put(block: BlockRecord): void {
    this.#table.put(numberKey(block.number), encode(block));
  }

  remove(number: number): void {
    this.#table.remove(numberKey(number));
  }
}

function encode(block: BlockRecord): Uint8Array {
  const bytes = new Uint8Array(BYTES);
  bytes.set(block.header, 0);
  bytes.set(block.hash, HASH_AT);
  bytes.set(block.archiveRoot, ARCHIVE_AT);
  writeU32(bytes, CHECKPOINT_AT, block.checkpointNumber);
  writeU32(bytes, INDEX_AT, block.indexWithinCheckpoint);
  writeU32(bytes, TX_COUNT_AT, block.txCount);
  return bytes;
}

function decode(number: number, bytes: Uint8Array): BlockRecord {
  return {
    number,
    hash: bytes.subarray(HASH_AT, HASH_AT + 32),
    header: bytes.subarray(0, BLOCK_HEADER_BYTES),
    archiveRoot: bytes.subarray(ARCHIVE_AT, ARCHIVE_AT + 32),
    checkpointNumber: readU32(bytes, CHECKPOINT_AT),
    indexWithinCheckpoint: readU32(bytes, INDEX_AT),
    txCount: readU32(bytes, TX_COUNT_AT),
  };
}
