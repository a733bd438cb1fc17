/** Rows of the table, in order. */
export const ROWS = {
  "poseidon-batch": "Poseidon2 permutations, one thread, batch of independent nodes",
  "poseidon-pair": "Poseidon2 latency of one pair hash",
  "block-number": "getBlockNumber, one RPC thread",
  "reader-processes": "getBlockNumber, two processes of --rpc-only with one thread each",
  "idle-connections": "10,000 idle connections",
  "busy-connections": "getBlockNumber, one RPC thread, 1,000 connections at half of the top rate",
  metrics: "getBlockNumber, one RPC thread, with metrics that are read each second",
  "nullifier-witness": "low-nullifier witness, latest block, 1M leaves",
  "public-data-witness": "public-data witness, latest block, 1M leaves",
  "witness-batches": "low-nullifier witnesses in batches of 100, one RPC thread, 1M leaves",
  "old-nullifier-witness": "low-nullifier witness, 1,000 blocks back, 1M leaves",
  "old-public-data-witness": "public-data witness, 1,000 blocks back, 1M leaves",
  "get-block": "getBlock of a block that publishes a contract class",
  "blocks-of-64": "nullifiers applied in blocks of 64, 1M leaves",
  "blocks-of-1024": "nullifiers applied in blocks of 1,024, 1M leaves",
  "initial-sync": "initial sync of the recorded chain, L1 on the same machine",
  memory: "memory with 1M nullifiers and 1M public-data leaves",
  disk: "disk per nullifier, all history kept",
  growth: "cost from 10k to 10M leaves",
  "short-calls": "getBlockNumber beside long calls",
  "tx-latency": "local network: sendTx to the receipt that the released client waits for",
  "tx-rate": "local network: public transfers a second, sustained",
  "valid-tx": "isValidTx of txs seen for the first time",
  simulation: "simulatePublicCalls of txs seen for the first time",
  "valid-tx-again": "isValidTx of txs that were sent before",
  "simulation-again": "simulatePublicCalls of txs that were sent before",
  "send-tx": "sendTx",
  "gossip-tx": "gossiped txs, checked and forwarded",
  "gossip-latency-10": "gossiped tx, from sending to arrival behind the node, at 10 tx/s",
  "gossip-latency-20": "gossiped tx, from sending to arrival behind the node, at 20 tx/s",
  "gossip-latency-50": "gossiped tx, from sending to arrival behind the node, at 50 tx/s",
  "gossip-attestation": "gossiped attestations, checked and forwarded",
  "gossip-memory": "memory with 100 peers",
  attesting: "from a checkpoint proposal to the attestation, blocks executed before",
  "attesting-last-block": "from a checkpoint proposal with its last block to the attestation",
  "validator-cpu": "validator, CPU time of a slot",
  "validator-cpu-20": "validator, CPU time of a slot with 20 gossiped tx/s",
  "proven-13": "4 checkpoints with 13 txs, from the complete epoch to its proof on L1",
  "proven-22": "4 checkpoints with 22 txs, from the complete epoch to its proof on L1",
  "proven-640": "32 checkpoints with 20 txs each",
  "prover-memory": "memory of a prover node",
  "broker-memory": "memory of a proving broker",
  "agent-memory": "memory of a proving agent",
  "follower-sync": "follower, from an empty directory to the tip of a long chain",
  "follower-feed": "follower without a snapshot, from an empty directory to the tip of a long chain",
  "follower-bytes": "bytes of the feed for each block of a long chain",
  "follower-lag": "from the upstream's commit to the follower's, on one machine",
} as const;

export type RowId = keyof typeof ROWS;

export const PEERS = {
  native: "native reference",
  wasm: "bb.js WASM",
  echo: "bare uWebSockets.js echo",
  threads: "one node with two RPC threads",
  singles: "the same in single calls",
  unmeasured: "the same node without metrics",
  reference: "reference node",
  "reference-cpu": "reference node, CPU time",
  latest: "reference node, latest block",
  batches: "reference, blocks of 64",
  fork: "reference, batches of 64 into a fork",
  pruned: "reference, pruned",
  network: "reference's local network",
  prover: "reference's prover",
  "from-l1": "own node, from L1",
  blobs: "blobs on L1",
} as const;

export type PeerId = keyof typeof PEERS;

/** A rate, or an inverted latency, must be at least so many times the peer's; a size at most. */
export interface RatioTarget {
  readonly row: RowId;
  readonly peer: PeerId;
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** A bound on a figure of this project alone. */
export interface FigureTarget {
  readonly row: RowId;
  readonly figure: string;
  readonly atMost: number;
}

/** Names of figures that have a bound, shared with the suites that measure them. */
export const FIGURES = {
  p99: "p99 at 32 connections",
  p99OfBatch: "p99 of a batch at 8 connections",
  p99AtHalf: "p99",
  idleMemory: "memory for them",
  delayBySimulations: "beside simulations, p99 less p99 alone",
  delayBySearches: "beside searches for 10,000 leaves, p99 less p99 alone",
  delayByBlocks: "beside answers of 50 blocks, p99 less p99 alone",
  p99Forward: "p99",
  lag: "p99",
  proven: "from the complete epoch to its proof on L1",
  witnessGrowth: "witness, times as much over times as deep",
  witnessInstructionGrowth: "witness by instructions, times as many over times as deep",
  insertionGrowth: "insertion, times as much over times as deep",
} as const;

export const TARGETS: readonly (RatioTarget | FigureTarget)[] = [
  { row: "poseidon-batch", peer: "native", atLeast: 1.25 },
  { row: "poseidon-batch", peer: "wasm", atLeast: 3 },
  { row: "poseidon-pair", peer: "wasm", atLeast: 1.5 },
  { row: "block-number", peer: "echo", atLeast: 0.8 },
  { row: "block-number", peer: "reference", atLeast: 15 },
  { row: "idle-connections", figure: FIGURES.idleMemory, atMost: 60 },
  { row: "busy-connections", figure: FIGURES.p99AtHalf, atMost: 20 },
  { row: "metrics", peer: "unmeasured", atLeast: 0.98 },
  { row: "nullifier-witness", peer: "reference", atLeast: 40 },
  { row: "nullifier-witness", figure: FIGURES.p99, atMost: 5 },
  { row: "public-data-witness", peer: "reference", atLeast: 40 },
  { row: "public-data-witness", figure: FIGURES.p99, atMost: 5 },
  { row: "witness-batches", peer: "singles", atLeast: 2 },
  { row: "witness-batches", figure: FIGURES.p99OfBatch, atMost: 10 },
  { row: "old-nullifier-witness", peer: "latest", atLeast: 15 },
  { row: "old-public-data-witness", peer: "latest", atLeast: 15 },
  { row: "get-block", peer: "reference", atLeast: 20 },
  { row: "blocks-of-64", peer: "batches", atLeast: 4 },
  { row: "blocks-of-1024", peer: "batches", atLeast: 10 },
  { row: "initial-sync", peer: "reference", atLeast: 5 },
  { row: "memory", peer: "reference", atMost: 0.5 },
  { row: "disk", peer: "pruned", atMost: 2 },
  { row: "growth", figure: FIGURES.witnessGrowth, atMost: 1 },
  { row: "growth", figure: FIGURES.witnessInstructionGrowth, atMost: 1 },
  { row: "growth", figure: FIGURES.insertionGrowth, atMost: 1 },
  { row: "short-calls", figure: FIGURES.delayBySimulations, atMost: 5 },
  { row: "short-calls", figure: FIGURES.delayBySearches, atMost: 5 },
  { row: "short-calls", figure: FIGURES.delayByBlocks, atMost: 5 },
  { row: "tx-latency", peer: "network", atLeast: 2 },
  { row: "tx-rate", peer: "network", atLeast: 3 },
  { row: "valid-tx", peer: "reference", atLeast: 5 },
  { row: "simulation", peer: "reference", atLeast: 3 },
  { row: "gossip-tx", peer: "reference-cpu", atLeast: 5 },
  { row: "gossip-latency-20", figure: FIGURES.p99Forward, atMost: 150 },
  { row: "gossip-attestation", peer: "reference-cpu", atLeast: 10 },
  { row: "gossip-memory", peer: "reference", atMost: 0.5 },
  { row: "attesting", peer: "reference", atLeast: 4 },
  { row: "attesting-last-block", peer: "reference", atLeast: 4 },
  { row: "validator-cpu", peer: "reference-cpu", atLeast: 3 },
  { row: "validator-cpu-20", peer: "reference-cpu", atLeast: 3 },
  { row: "proven-13", peer: "prover", atLeast: 10 },
  { row: "proven-22", peer: "prover", atLeast: 10 },
  { row: "proven-640", figure: FIGURES.proven, atMost: 30 },
  { row: "prover-memory", peer: "prover", atMost: 0.25 },
  { row: "broker-memory", peer: "prover", atMost: 0.25 },
  { row: "agent-memory", peer: "prover", atMost: 0.25 },
  { row: "follower-sync", peer: "from-l1", atLeast: 10 },
  { row: "follower-lag", figure: FIGURES.lag, atMost: 50 },
];
