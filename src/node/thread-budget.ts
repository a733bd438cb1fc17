/** Most threads of one kind for RPC: connections are few, and each thread keeps readers and results of its own. */
const MOST_RPC_THREADS = 4;

/** How many threads of each kind a node may have. All but the RPC threads start on demand and end when idle. */
export interface ThreadBudget {
  /** Hashing of tree nodes. The node's own thread waits for it, so every processor may hash. */
  hashing: number;
  /** Rebuilding checkpoints from blobs. */
  rebuilding: number;
  /** Hashing of transactions that clients send. */
  digests: number;
  /** Execution of public calls and blocks. */
  execution: number;
  /** The public JSON-RPC port; 0 answers on the node's thread. */
  rpc: number;
  /** RPC calls that would delay others. */
  longCalls: number;
}

/** Divides `processors` logical processors; `rpcThreads` is the operator's choice, where there is one. */
export function threadBudget(processors: number, rpcThreads?: number): ThreadBudget {
  const beside = Math.max(1, processors - 1);
  const forRpc = Math.min(MOST_RPC_THREADS, beside);
  return {
    hashing: processors,
    rebuilding: beside,
    digests: beside + 1,
    execution: beside,
    rpc: rpcThreads ?? forRpc,
    longCalls: forRpc,
  };
}
