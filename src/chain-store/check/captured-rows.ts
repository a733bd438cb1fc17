import type { Store } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";

/** Rows that something writes, instead of a store: nothing is there before. */
export class CapturedRows {
  #rows: { table: string; key: Uint8Array; value: Uint8Array }[] = [];

  /** A store for those who only put rows, and ask whether rows are there. */
  asStore(): Store {
    const table = (name: string): Pick<Table, "put" | "has"> => ({
      put: (key, value) => void this.#rows.push({ table: name, key, value }),
      has: () => false,
    });
    return { table } as unknown as Store;
  }

  /** The rows since the last call. */
  take(): { table: string; key: Uint8Array; value: Uint8Array }[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }
}
