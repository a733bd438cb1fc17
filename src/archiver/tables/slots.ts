import { readU32 } from "../../protocol/bytes.ts";
import type { Store } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";
import { numberKey } from "./keys.ts";

/**
 * Maps a slot u32 to its checkpoint's number u32. Both rise together, so an epoch's checkpoints are one range of slots.
 */
export class Slots {
  readonly #table: Table;

  constructor(store: Store) {
    this.#table = store.table("chain-slots");
  }

  /** Checkpoint numbers of the slots `first` .. `last`, in order. */
  checkpoints(first: number, last: number): number[] {
    const numbers: number[] = [];
    for (const { value } of this.#table.range({ start: numberKey(first), end: numberKey(last + 1) })) {
      numbers.push(readU32(value, 0));
    }
    return numbers;
  }

  get(slot: number): number | undefined {
    const bytes = this.#table.get(numberKey(slot));
    return bytes && readU32(bytes, 0);
  }

  put(slot: number, checkpoint: number): void {
    this.#table.put(numberKey(slot), numberKey(checkpoint));
  }

  remove(slot: number): void {
    this.#table.remove(numberKey(slot));
  }
}
