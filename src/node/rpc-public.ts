import { availableParallelism } from "node:os";
import type { ChainStore } from "../archiver/chain-store.ts";
import type { Listener } from "../rpc/http/listener.ts";
import type { RpcLogger } from "../rpc/log.ts";
import { publicRegistry } from "../rpc/methods/public-registry.ts";
import type { NodeServices } from "../rpc/methods/services.ts";
import { startRpcServer } from "../rpc/rpc-server.ts";
import type { Store } from "../storage/store.ts";
import { type RpcReadsOptions, resultCache } from "./rpc-reads.ts";
import { RpcThreads, type RpcThreadsOptions } from "./rpc-threads.ts";

const MOST_DEFAULT_THREADS = 4;

export interface PublicRpcOptions {
  /** Threads to answer on, 0 for this one; by default one per processor but one. */
  threads: number | undefined;
  /** Of this thread. */
  services: NodeServices;
  /** Of the same store. */
  store: Store;
  chain: ChainStore;
  reads: Omit<RpcReadsOptions, "path" | "commits">;
  server: RpcThreadsOptions["server"];
  /** See RpcThreadsOptions. */
  cacheBytes: number;
  log: RpcLogger;
}

export function defaultRpcThreads(): number {
  return Math.max(1, Math.min(MOST_DEFAULT_THREADS, availableParallelism() - 1));
}

/** Opens the public JSON-RPC port. Rejects with a ListenError. */
export function startPublicRpc(options: PublicRpcOptions): Promise<Listener> {
  const { threads = defaultRpcThreads(), services, store, chain, server, cacheBytes, log } = options;
  if (threads === 0) {
    const results = resultCache({ store, chain }, cacheBytes);
    return startRpcServer(publicRegistry(services), { ...server, results }, log);
  }
  const reads = { ...options.reads, path: store.path, commits: store.commits };
  return RpcThreads.start({ threads, services, reads, server, cacheBytes, log });
}
