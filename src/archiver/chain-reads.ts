import type { Core } from "../core/core.ts";
import { loadCore } from "../core/load-core.ts";
import type { Generation } from "../protocol/generations/generation.ts";
import { storedGeneration } from "../storage/identity.ts";
import { openStore, type Store } from "../storage/store.ts";
import { genesisContent } from "../world-state/genesis.ts";
import type { PrefilledEntry } from "../world-state/tables/genesis-row.ts";
import { WorldState } from "../world-state/world-state.ts";
import { ChainStore } from "./chain-store.ts";
import { ContentStore } from "./content-store.ts";

/** What another thread needs to read the chain store. Plain data: it crosses threads. */
export interface ChainReadsOptions {
  path: string;
  mapSizeKb?: number;
  /** Commit counter of the store that the process opened first. */
  commits: SharedArrayBuffer;
  /** See StoreOptions. */
  anotherProcess?: boolean;
  epochDuration: number;
  publicData: readonly PrefilledEntry[];
}

/** A thread's own readers of the chain store that the node's thread writes. */
export interface ChainReads {
  store: Store;
  chain: ChainStore;
  content: ContentStore;
  world: WorldState;
  core: Core;
}

/** The chain in a store with the same genesis as `world`. */
export function chainOf(
  store: Store,
  world: WorldState,
  rollup: { epochDuration: number; generation: Generation },
): ChainStore {
  const genesis = { header: world.genesisHeader(), hash: world.genesisBlockHash() };
  return new ChainStore({ store, genesis, ...rollup });
}

/** Opens the chain store for reading. This process must have it open already. */
export function openChainReads(options: ChainReadsOptions): ChainReads {
  const { path, mapSizeKb, commits, anotherProcess, epochDuration, publicData } = options;
  const core = loadCore();
  const store = openStore({ path, mapSizeKb, commits, anotherProcess, readOnly: true, singlePages: true });
  const generation = storedGeneration(store);
  const world = new WorldState(core, store, genesisContent(generation, publicData));
  const chain = chainOf(store, world, { epochDuration, generation });
  return { store, chain, content: new ContentStore({ store, chain }), world, core };
}
