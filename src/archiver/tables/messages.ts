import type { InboxMessage } from "../../l1/types.ts";
import { readUint, writeUint } from "../../protocol/bytes.ts";
import { messageCheckpoint } from "../../protocol/l1-to-l2-message.ts";
import type { Store } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";
import { indexKey, LAST_INDEX_KEY, readIndex } from "./keys.ts";

/**
 * L1-to-L2 messages by global index u48: 0 leaf 32 | 32 rolling hash after it 16 | 48 L1 block u48 | 54 its hash 32.
 * A second table leads from the leaf to the index u48, a third holds the number of messages u48 under "n".
 */
const ROLLING_AT = 32;
const L1_NUMBER_AT = 48;
const L1_HASH_AT = 54;
const BYTES = 86;

const COUNT_KEY = new TextEncoder().encode("n");

export class Messages {
  readonly #byIndex: Table;
  readonly #byLeaf: Table;
  readonly #count: Table;

  constructor(store: Store) {
    this.#byIndex = store.table("chain-messages");
    this.#byLeaf = store.table("chain-message-leaves");
    this.#count = store.table("chain-message-count");
  }

  get(index: number): InboxMessage | undefined {
    const bytes = this.#byIndex.get(indexKey(index));
    return bytes && decode(index, bytes);
  }

  indexOf(leaf: Uint8Array): number | undefined {
    if (leaf.length !== 32) return undefined;
    const bytes = this.#byLeaf.get(leaf);
    return bytes && readIndex(bytes);
  }

  count(): number {
    const bytes = this.#count.get(COUNT_KEY);
    return bytes === undefined ? 0 : readIndex(bytes);
  }

  last(): InboxMessage | undefined {
    return this.before(2 ** 48);
  }

  /** The message with the largest index below `index`. */
  before(index: number): InboxMessage | undefined {
    const entry = this.#byIndex.atOrBefore(index >= 2 ** 48 ? LAST_INDEX_KEY : indexKey(Math.max(index - 1, 0)));
    if (entry === undefined) return undefined;
    const found = readIndex(entry.key);
    return found < index ? decode(found, entry.value) : undefined;
  }

  /** Messages with `first <= index < end`, in order. */
  range(first: number, end: number): InboxMessage[] {
    const messages: InboxMessage[] = [];
    for (const { key, value } of this.#byIndex.range({ start: indexKey(first), end: indexKey(end) })) {
      messages.push(decode(readIndex(key), value));
    }
    return messages;
  }

  /** The first messages after `index` (-1 for all), at most `limit`, in order. */
  after(index: number, limit: number): InboxMessage[] {
    const found: InboxMessage[] = [];
    const options = { start: indexKey(index + 1), end: LAST_INDEX_KEY, limit };
    for (const { key, value } of this.#byIndex.range(options)) found.push(decode(readIndex(key), value));
    return found;
  }

  /** Adds a message, or updates the L1 block of an existing one. */
  put(message: InboxMessage): void {
    const key = indexKey(message.index);
    if (!this.#byIndex.has(key)) this.#putCount(this.count() + 1);
    this.#byIndex.put(key, encode(message));
    this.#byLeaf.put(message.leaf, key);
  }

  remove(message: InboxMessage): void {
    this.#byIndex.remove(indexKey(message.index));
    this.#byLeaf.remove(message.leaf);
    this.#putCount(this.count() - 1);
  }

  #putCount(count: number): void {
    if (count === 0) this.#count.remove(COUNT_KEY);
    else this.#count.put(COUNT_KEY, indexKey(count));
  }
}

function encode(message: InboxMessage): Uint8Array {
  const bytes = new Uint8Array(BYTES);
  bytes.set(message.leaf, 0);
  bytes.set(message.rollingHash, ROLLING_AT);
  writeUint(bytes, L1_NUMBER_AT, 6, message.l1BlockNumber);
  bytes.set(message.l1BlockHash, L1_HASH_AT);
  return bytes;
}

function decode(index: number, bytes: Uint8Array): InboxMessage {
  return {
    checkpointNumber: messageCheckpoint(index),
    index,
    leaf: bytes.subarray(0, 32),
    rollingHash: bytes.subarray(ROLLING_AT, ROLLING_AT + 16),
    l1BlockNumber: readUint(bytes, L1_NUMBER_AT, 6),
    l1BlockHash: bytes.subarray(L1_HASH_AT, BYTES),
  };
}
