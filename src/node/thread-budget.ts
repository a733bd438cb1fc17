/** Maximum threads of one kind for RPC, since each thread has its own readers and caches. */
const MAX_RPC_THREADS = 4;

/** How many threads of each kind a node may have. All but the RPC threads start on demand and end when idle. */
export interface ThreadBudget {
  /** Hashing of tree nodes. The main thread waits for it, so all processors may hash. */
  hashing: number;
  /** Rebuilding checkpoints from blobs. */
  rebuilding: number;
  /** Hashing of transactions that clients send. */
  digests: number;
  /** Execution of public calls and blocks. */
  execution: number;
  /** The public JSON-RPC port; 0 means the main thread. */
  rpc: number;
  /** RPC calls that would delay others. */
  longCalls: number;
  /** Execution of blocks for the proof of their epoch. */
  reexecution: number;
  /** Simulated circuits of a prover node's own agents. */
  circuits: number;
}

/** Thread counts for `processors` logical processors. `rpcThreads` is the configured number of RPC threads, if any. */
export function threadBudget(processors: number, rpcThreads?: number): ThreadBudget {
  const workers = Math.max(1, processors - 1);
  const forRpc = Math.min(MAX_RPC_THREADS, workers);
  return {
    hashing: processors,
    rebuilding: workers,
    digests: workers + 1,
    execution: workers,
    rpc: rpcThreads ?? forRpc,
    longCalls: forRpc,
    reexecution: 1,
    circuits: workers,
  };
}
