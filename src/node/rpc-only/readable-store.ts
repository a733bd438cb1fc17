import { statSync } from "node:fs";
import { join } from "node:path";
import { storeOwner } from "../../chain-store/chain-services.ts";
import type { RollupIdentity } from "../../l1/types.ts";
import {
  requireChain,
  SCHEMA_VERSION,
  StoreIdentityError,
  StoreSchemaError,
  storedIdentity,
} from "../../storage/identity.ts";
import { MissingTableError } from "../../storage/lmdb-table.ts";
import { isMigrating } from "../../storage/migrate.ts";
import { openStore, type Store } from "../../storage/store.ts";
import type { PrefilledEntry } from "../../world-state/tables/genesis-row.ts";
import { storedContent } from "../../world-state/tables/genesis-row.ts";

/** A node's store, open for reading in this process. */
export interface ReadableStore {
  store: Store;
  publicData: readonly PrefilledEntry[];
  /** Identifies the file: a snapshot, or another state of a local network, comes as another file. */
  file: string;
}

function fileOf(path: string): string | undefined {
  const stat = statSync(join(path, "data.mdb"), { throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}`;
}

const NOT_OPENED = "no node has opened the chain store yet";

/**
 * Why an open store can no longer be read, if so. Throws StoreSchemaError or StoreGenerationError if it is of a later
 * version of the program.
 */
export function unreadable({ store, file }: ReadableStore): string | undefined {
  const now = fileOf(store.path);
  if (now !== file) return "the chain store was replaced";
  return migration(store);
}

function migration(store: Store): string | undefined {
  const identity = storedIdentity(store);
  if (identity === undefined) return NOT_OPENED;
  if (identity.schemaVersion > SCHEMA_VERSION) throw new StoreSchemaError(store.path, identity.schemaVersion);
  return identity.schemaVersion < SCHEMA_VERSION || isMigrating(store)
    ? "the chain store is being migrated"
    : undefined;
}

/**
 * Opens the store of a rollup that another process writes, or says why that is not possible yet. Throws
 * StoreSchemaError or StoreGenerationError.
 */
export async function openReadable(
  path: string,
  { mapSizeKb, identity }: { mapSizeKb: number; identity: RollupIdentity },
): Promise<ReadableStore | string> {
  const file = fileOf(path);
  if (file === undefined) return NOT_OPENED;
  const store = openStore({ path, mapSizeKb, readOnly: true, singlePages: true, anotherProcess: true });
  try {
    const opened = readable(store, file, identity);
    if (typeof opened === "string") await store.close();
    return opened;
  } catch (error) {
    await store.close();
    if (error instanceof StoreIdentityError) {
      const { field, stored, expected } = error;
      return `the chain store and the node's record are of different chains: ${field} is ${stored} and ${expected}`;
    }
    if (error instanceof MissingTableError) return NOT_OPENED;
    throw error;
  }
}

function readable(store: Store, file: string, identity: RollupIdentity): ReadableStore | string {
  const waits = migration(store);
  if (waits !== undefined) return waits;
  // The node has not written the record of its chain yet.
  requireChain(store.path, storedIdentity(store)!, storeOwner(identity));
  const content = storedContent(store);
  return content === undefined ? NOT_OPENED : { store, publicData: content.publicData, file };
}
