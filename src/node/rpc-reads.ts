import { ChainStore } from "../archiver/chain-store.ts";
import { ContentStore } from "../archiver/content-store.ts";
import type { Core } from "../core/core.ts";
import { loadCore } from "../core/load-core.ts";
import type { RollupIdentity } from "../l1/types.ts";
import { ResultCache } from "../rpc/cache/result-cache.ts";
import { openStore, type Store } from "../storage/store.ts";
import type { PrefilledEntry } from "../world-state/genesis.ts";
import { WorldState } from "../world-state/world-state.ts";

/** What a thread needs to read the chain store. Plain data: it crosses threads. */
export interface RpcReadsOptions {
  path: string;
  mapSizeKb: number;
  /** Of the store on the node's thread. */
  commits: SharedArrayBuffer;
  identity: RollupIdentity;
  publicData: PrefilledEntry[];
}

/** One thread's own readers of the chain store that the node's thread writes. */
export interface RpcReads {
  store: Store;
  chain: ChainStore;
  content: ContentStore;
  world: WorldState;
  core: Core;
}

/** Keeps the texts of results read from a store, in one thread. */
export function resultCache({ store, chain }: Pick<RpcReads, "store" | "chain">, maxBytes: number): ResultCache {
  return new ResultCache({
    maxBytes,
    chain: {
      version: () => store.version(),
      latestBlockNumber: () => chain.latestBlockNumber(),
      blockHash: (number) => chain.block(number)?.hash,
    },
  });
}

/** The store has to have been opened for writing in this process. */
export function openRpcReads({ path, mapSizeKb, commits, identity, publicData }: RpcReadsOptions): RpcReads {
  const core = loadCore();
  const store = openStore({ path, mapSizeKb, commits, readOnly: true });
  const world = new WorldState(core, store, publicData);
  const chain = new ChainStore({
    store,
    genesis: { header: world.genesisHeader(), hash: world.genesisBlockHash() },
    epochDuration: identity.constants.epochDuration,
  });
  return { store, chain, content: new ContentStore({ store, chain }), world, core };
}
