import type { Store } from "../../storage/store.ts";

/** What the pool needs of the store that holds its bodies. */
export type PoolStore = Pick<Store, "path" | "table" | "transaction" | "freeBytes">;
