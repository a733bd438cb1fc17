import { ExecutionError } from "../jsonrpc/errors.ts";
import type { EpochProving } from "./epoch-prover.ts";
import type { Mempool } from "./mempool.ts";
import type { NodeServices } from "./node-services.ts";
import type { PeerNetwork } from "./peer-network.ts";
import type { JobSource } from "./proving-broker.ts";
import type { Simulator } from "./simulator.ts";
import type { TxValidityChecker } from "./tx-validity-checker.ts";
import type { ValidatorStats } from "./validator-stats.ts";

/** Answers of a node that takes no transactions. */
const noMempool: Mempool = {
  submit: () => Promise.reject(new ExecutionError("P2P client not ready")),
  status: () => undefined,
  get: () => undefined,
  list: () => [],
  count: () => 0,
  maxPriorityFees: () => ({ feePerDaGas: 0n, feePerL2Gas: 0n }),
};

const refuseTxs = () => Promise.reject(new ExecutionError("Transactions are not accepted by this node"));
const noTxValidator: TxValidityChecker = { validate: refuseTxs };
const noSimulator: Simulator = { simulate: refuseTxs };

/**
 * Answers of a node without peers (docs/protocol/05-rpc.md#529-node-information and docs/protocol/05-rpc.md#532-peers).
 */
const noPeers: PeerNetwork = {
  enr: () => undefined,
  peers: () => [],
  attestations: () => [],
  proposals: () => ({ blocks: [], checkpoints: [] }),
};

/** Answers of a node that keeps no statistics. */
const noValidatorStats: ValidatorStats = {
  all: () => ({ stats: [], slotWindow: 0 }),
  of: () => undefined,
};

const noProver: EpochProving = {
  jobs: () => [],
  startProof: () => Promise.reject(new ExecutionError("This node has no prover")),
};

const refuseAgents = () => Promise.reject(new ExecutionError("This node has no proving jobs"));
const noJobSource: JobSource = {
  next: refuseAgents,
  progress: refuseAgents,
  succeed: refuseAgents,
  fail: refuseAgents,
};

/** Stand in for the subsystems that a node runs without: each answers as the network's nodes do in that case. */
export const ABSENT_SERVICES: Pick<
  NodeServices,
  "mempool" | "txValidator" | "simulator" | "p2p" | "validatorStats" | "setup" | "prover" | "jobSource"
> = {
  mempool: noMempool,
  txValidator: noTxValidator,
  simulator: noSimulator,
  p2p: noPeers,
  validatorStats: noValidatorStats,
  setup: { allowed: () => [] },
  prover: noProver,
  jobSource: noJobSource,
};
