import { readU32, writeU32 } from "../../protocol/bytes.ts";
import type { Store } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";

/** Position of the event that registered a class or instance. */
interface EventLocation {
  block: number;
  /** In 32-byte words from the start of the body: the tx of a class, the log's length word of an instance. */
  offset: number;
}

/**
 * Contract classes by id, or contract instances by address: 0 block u32 | 4 offset u32.
 *
 * The first event keeps the row, and only the block that the row names removes it: registering something again in a
 * later block leaves it where it was, and unwinding that block does too.
 */
export class ContractRows {
  readonly #table: Table;

  constructor(store: Store, name: "chain-contract-classes" | "chain-contract-instances") {
    this.#table = store.table(name);
  }

  get(key: Uint8Array): EventLocation | undefined {
    if (key.length !== 32) return undefined;
    const bytes = this.#table.get(key);
    return bytes && { block: readU32(bytes, 0), offset: readU32(bytes, 4) };
  }

  add(key: Uint8Array, location: EventLocation): void {
    if (this.#table.has(key)) return;
    const bytes = new Uint8Array(8);
    writeU32(bytes, 0, location.block);
    writeU32(bytes, 4, location.offset);
    this.#table.put(key, bytes);
  }

  removeIfIn(key: Uint8Array, block: number): void {
    if (this.get(key)?.block === block) this.#table.remove(key);
  }
}
