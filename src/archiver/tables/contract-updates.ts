import { bigUintBytes, equal, readU32, writeU32 } from "../../protocol/bytes.ts";
import type { Store } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";
import type { LogPosition } from "./log-keys.ts";
import { POSITION_BYTES, readPosition, writePosition } from "./log-keys.ts";

/**
 * Changes of the class of an instance, in the order in which they were announced.
 *
 *   key    0 address 32 | 32 timestamp of the block u64 | 40 position of the log 8 (see log-keys.ts)
 *   value  0 offset of the log's length word in the body u32
 *
 * The position holds the block, because the blocks of a checkpoint share their timestamp.
 */
const TIMESTAMP_AT = 32;
const POSITION_AT = 40;
const LATEST_TIMESTAMP = 2n ** 64n - 1n;

export class ContractUpdates {
  readonly #table: Table;

  constructor(store: Store) {
    this.#table = store.table("chain-contract-updates");
  }

  /** The last change announced in a block whose timestamp is at most `timestamp`, in seconds. */
  lastAt(address: Uint8Array, timestamp: bigint): { block: number; offset: number } | undefined {
    if (address.length !== 32 || timestamp < 0n) return undefined;
    const last = updateKey(address, timestamp < LATEST_TIMESTAMP ? timestamp : LATEST_TIMESTAMP).fill(255, POSITION_AT);
    const entry = this.#table.atOrBefore(last);
    if (entry === undefined || !equal(entry.key.subarray(0, TIMESTAMP_AT), address)) return undefined;
    return { block: readPosition(entry.key, POSITION_AT).blockNumber, offset: readU32(entry.value, 0) };
  }

  put(address: Uint8Array, timestamp: bigint, position: LogPosition, offset: number): void {
    const value = new Uint8Array(4);
    writeU32(value, 0, offset);
    this.#table.put(updateKey(address, timestamp, position), value);
  }

  remove(address: Uint8Array, timestamp: bigint, position: LogPosition): void {
    this.#table.remove(updateKey(address, timestamp, position));
  }
}

function updateKey(address: Uint8Array, timestamp: bigint, position?: LogPosition): Uint8Array {
  const key = new Uint8Array(POSITION_AT + POSITION_BYTES);
  key.set(address);
  key.set(bigUintBytes(timestamp, 8), TIMESTAMP_AT);
  if (position !== undefined) writePosition(key, POSITION_AT, position);
  return key;
}
