import type { Store } from "../../storage/store.ts";

/** The part of the store that the pool uses. */
export type PoolStore = Pick<Store, "path" | "table" | "transaction" | "freeBytes">;
