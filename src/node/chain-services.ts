import { chainOf } from "../archiver/chain-reads.ts";
import type { ChainStore } from "../archiver/chain-store.ts";
import type { Core } from "../core/core.ts";
import type { RollupIdentity } from "../l1/types.ts";
import { toHex } from "../protocol/bytes.ts";
import { claimStore } from "../storage/identity.ts";
import { openStore, type Store } from "../storage/store.ts";
import type { StoreFault } from "../storage/store-errors.ts";
import type { PrefilledEntry } from "../world-state/genesis.ts";
import type { TileHasher } from "../world-state/tree-batch.ts";
import { WorldState } from "../world-state/world-state.ts";

/** The store of one rollup, and the services that read and write it. */
export interface ChainServices {
  store: Store;
  chain: ChainStore;
  world: WorldState;
}

export interface ChainServicesOptions {
  path: string;
  mapSizeKb: number;
  core: Core;
  identity: RollupIdentity;
  publicData: PrefilledEntry[];
  /** Hashes large blocks on other threads. */
  hasher: TileHasher;
  /** Called when the store can no longer be written or is damaged. */
  onFault?: (fault: StoreFault) => void;
}

/**
 * Opens the chain store of a rollup; a new store is bound to that rollup. Throws StoreIdentityError or
 * StoreSchemaError.
 */
export async function openChainServices(options: ChainServicesOptions): Promise<ChainServices> {
  const { path, mapSizeKb, core, identity, publicData, hasher, onFault } = options;
  const store = openStore({ path, mapSizeKb, onFault });
  try {
    claimStore(store, {
      l1ChainId: identity.l1ChainId,
      rollupVersion: identity.rollupVersion,
      rollupAddress: identity.addresses.rollupAddress,
      genesisArchiveRoot: toHex(identity.genesisArchiveRoot),
    });
    const world = new WorldState(core, store, publicData, hasher);
    return { store, chain: chainOf(store, world, identity.constants.epochDuration), world };
  } catch (error) {
    await store.close();
    throw error;
  }
}
