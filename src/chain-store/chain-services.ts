import { chainOf } from "../archiver/chain-reads.ts";
import type { ChainStore } from "../archiver/chain-store.ts";
import type { Core } from "../core/core.ts";
import type { RollupIdentity } from "../l1/types.ts";
import { toHex } from "../protocol/bytes.ts";
import { generationNamed } from "../protocol/generations/known/choose.ts";
import { claimStore, type StoreIdentity } from "../storage/identity.ts";
import { type MigrationReport, migrateStore } from "../storage/migrate.ts";
import { openStore, type Store } from "../storage/store.ts";
import type { StoreFault } from "../storage/store-errors.ts";
import { genesisContent } from "../world-state/genesis.ts";
import type { PrefilledEntry } from "../world-state/tables/genesis-row.ts";
import type { TileHasher } from "../world-state/tree-batch.ts";
import { WorldState } from "../world-state/world-state.ts";
import { CHAIN_MIGRATIONS } from "./migrations/migrations.ts";

/** The store of one rollup, and the services that read and write it. */
export interface ChainServices {
  store: Store;
  chain: ChainStore;
  world: WorldState;
}

/** The rollup of a store. */
export type StoreOwner = Pick<RollupIdentity, "l1ChainId" | "rollupVersion" | "genesisArchiveRoot" | "generation"> & {
  readonly addresses: Pick<RollupIdentity["addresses"], "rollupAddress">;
  readonly constants: Pick<RollupIdentity["constants"], "epochDuration">;
};

export interface ChainServicesOptions {
  path: string;
  mapSizeKb: number;
  /** The store is in a temporary data directory. */
  temporary?: boolean;
  core: Core;
  identity: StoreOwner;
  publicData: readonly PrefilledEntry[];
  /** Hashes large blocks on other threads. */
  hasher: TileHasher;
  /** Called when the store can no longer be written or is damaged. */
  onFault?: (fault: StoreFault) => void;
  /** Told of migrations of the store. */
  report?: MigrationReport;
  /** Aborts a migration. */
  signal?: AbortSignal;
}

/** The rollup as stores record it. */
export function storeOwner(identity: Omit<StoreOwner, "constants">): Omit<StoreIdentity, "schemaVersion"> {
  const { l1ChainId, rollupVersion, addresses, genesisArchiveRoot, generation } = identity;
  const { rollupAddress } = addresses;
  const owner = { l1ChainId, rollupVersion, rollupAddress, genesisArchiveRoot: toHex(genesisArchiveRoot) };
  return generation === undefined ? owner : { ...owner, generation };
}

/**
 * Opens the chain store of a rollup; a new store is bound to that rollup, one of an earlier schema version is migrated.
 * Throws StoreIdentityError or StoreSchemaError, or the reason of `signal`.
 */
export async function openChainServices(options: ChainServicesOptions): Promise<ChainServices> {
  const { path, mapSizeKb, temporary, core, identity, publicData, hasher, onFault, report, signal } = options;
  const store = openStore({ path, mapSizeKb, temporary, singlePages: true, onFault });
  try {
    const owner = storeOwner(identity);
    await migrateStore(store, owner, { migrations: CHAIN_MIGRATIONS, report, signal });
    claimStore(store, owner);
    const generation = generationNamed(identity.generation);
    const { epochDuration } = identity.constants;
    const world = new WorldState(core, store, genesisContent(generation, publicData), hasher);
    return { store, chain: chainOf(store, world, { epochDuration, generation }), world };
  } catch (error) {
    await store.close();
    throw error;
  }
}
