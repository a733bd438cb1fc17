/** Maximum threads of one kind for RPC, since each thread has its own readers and caches. */
const MAX_RPC_THREADS = 4;

/**
 * Idle time after which threads that take in blocks end, on nodes that serve them: longer than two slots of the public
 * networks, so that a block does not wait for threads to start.
 */
export const BLOCK_THREADS_IDLE_MS = 150_000;

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

interface NodeKind {
  /** The configured number of RPC threads, if any. */
  readonly rpcThreads?: number | undefined;
  /** A node that few clients ask: it answers RPC on the main thread by default and has one thread for digests. */
  readonly onlyProves?: boolean;
}

/** Thread counts for `processors` logical processors. */
export function threadBudget(processors: number, { rpcThreads, onlyProves = false }: NodeKind): ThreadBudget {
  const workers = Math.max(1, processors - 1);
  const forRpc = Math.min(MAX_RPC_THREADS, workers);
  return {
    hashing: processors,
    rebuilding: workers,
    digests: onlyProves ? 1 : workers + 1,
    execution: workers,
    rpc: rpcThreads ?? (onlyProves ? 0 : forRpc),
    longCalls: forRpc,
    reexecution: 1,
    circuits: workers,
  };
}
