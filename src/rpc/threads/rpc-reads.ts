import { type ChainReads, type ChainReadsOptions, openChainReads } from "../../archiver/chain-reads.ts";
import type { RollupIdentity } from "../../l1/types.ts";
import { ResultCache } from "../cache/result-cache.ts";

/** What a thread needs to answer from the chain store. Plain data: it crosses threads. */
export interface RpcReadsOptions extends Omit<ChainReadsOptions, "epochDuration"> {
  identity: RollupIdentity;
}

/** Keeps the texts of results read from a store, in one thread. */
export function resultCache({ store, chain }: Pick<ChainReads, "store" | "chain">, maxBytes: number): ResultCache {
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
export function openRpcReads({ identity, ...options }: RpcReadsOptions): ChainReads {
  return openChainReads({ ...options, epochDuration: identity.constants.epochDuration });
}
