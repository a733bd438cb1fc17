import { availableParallelism } from "node:os";
import type { Listener } from "../rpc/http/listener.ts";
import type { RpcLogger } from "../rpc/log.ts";
import { publicRegistry } from "../rpc/methods/public-registry.ts";
import type { NodeServices } from "../rpc/methods/services.ts";
import { startRpcServer } from "../rpc/rpc-server.ts";
import type { RpcReadsOptions } from "./rpc-reads.ts";
import { RpcThreads, type RpcThreadsOptions } from "./rpc-threads.ts";

const MOST_DEFAULT_THREADS = 4;

export interface PublicRpcOptions {
  /** Threads to answer on, 0 for this one; by default one per processor but one. */
  threads: number | undefined;
  /** Of this thread. */
  services: NodeServices;
  reads: RpcReadsOptions;
  server: RpcThreadsOptions["server"];
  log: RpcLogger;
}

export function defaultRpcThreads(): number {
  return Math.max(1, Math.min(MOST_DEFAULT_THREADS, availableParallelism() - 1));
}

/** Opens the public JSON-RPC port. Rejects with a ListenError. */
export function startPublicRpc(options: PublicRpcOptions): Promise<Listener> {
  const { threads = defaultRpcThreads(), services, reads, server, log } = options;
  if (threads === 0) return startRpcServer(publicRegistry(services), server, log);
  return RpcThreads.start({ threads, services, reads, server, log });
}
