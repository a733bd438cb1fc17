import type { Store } from "../../storage/store.ts";
import type { PrefilledEntry } from "../genesis.ts";
import { openTables } from "./tables.ts";

/** In the table "meta": the prefilled entries, each slot 32 | value 32. */
export const GENESIS_KEY = Buffer.from("genesis");

/** The entries that a stored world state was made with; undefined if there is none. */
export function storedPrefilled(store: Store): PrefilledEntry[] | undefined {
  const row = openTables(store).meta.get(GENESIS_KEY);
  if (row === undefined) return undefined;
  return Array.from({ length: row.length / 64 }, (_, i) => ({
    slot: row.slice(64 * i, 64 * i + 32),
    value: row.slice(64 * i + 32, 64 * i + 64),
  }));
}
