import { join } from "node:path";
import { type StoreOwner, storeOwner } from "../../chain-store/chain-services.ts";
import { POOL_MIGRATIONS } from "../../chain-store/migrations/migrations.ts";
import { reportMigration } from "../../chain-store/migrations/report-migration.ts";
import type { PartValues } from "../../config/part-values.ts";
import type { DataDirectory } from "../../process/data-directory.ts";
import type { NodeLogger } from "../../process/logging/logging.ts";
import { claimStore } from "../../storage/identity.ts";
import { inspectStore } from "../../storage/inspect.ts";
import { makeFolder } from "../../storage/make-folder.ts";
import { migrateStore } from "../../storage/migrate.ts";
import { openStore, type Store } from "../../storage/store.ts";
import { StoreCorruptedError } from "../../storage/store-errors.ts";

interface PoolStoreOptions {
  values: PartValues["storage"];
  directory: Pick<DataDirectory, "path" | "temporary">;
  identity: StoreOwner;
  /** Called when the store is damaged. */
  onFatal: ((error: Error) => void) | undefined;
  logger: NodeLogger;
}

/**
 * Opens the pool's own LMDB environment in the data directory. Throws a DamagedStoreError, StoreIdentityError or
 * StoreSchemaError.
 */
export async function openPoolStore({
  values,
  directory,
  identity,
  onFatal,
  logger,
}: PoolStoreOptions): Promise<Store> {
  const path = join(directory.path, "pool");
  makeFolder(path);
  inspectStore(path);
  const store = openStore({
    path,
    mapSizeKb: values.poolMapSizeKb ?? values.mapSizeKb,
    temporary: directory.temporary,
    // A full store is not fatal: the pool refuses txs, and the effects of blocks are recomputed from the chain.
    onFault: (fault) => void (fault instanceof StoreCorruptedError && onFatal?.(fault)),
  });
  try {
    const owner = storeOwner(identity);
    await migrateStore(store, owner, { migrations: POOL_MIGRATIONS, report: reportMigration("pool", logger) });
    claimStore(store, owner);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}
