import type { ContentReader } from "../../archiver/content-types.ts";
import type { ChainReader } from "../../archiver/types.ts";
import type { Core } from "../../core/core.ts";
import type { FeeReader, OutboxReader, RollupIdentity } from "../../l1/types.ts";
import type { WorldStateReader } from "../../world-state/types.ts";
import type { EpochProving } from "./epoch-prover.ts";
import type { FunctionSignatureRegister } from "./function-signatures.ts";
import type { Mempool } from "./mempool.ts";
import type { NodeStatus } from "./node-status.ts";
import type { PeerNetwork } from "./peer-network.ts";
import type { JobSource } from "./proving-broker.ts";
import type { SetupRules } from "./setup-rules.ts";
import type { Simulator } from "./simulator.ts";
import type { SyncProgress } from "./sync-progress.ts";
import type { TxValidityChecker } from "./tx-validity-checker.ts";
import type { ValidatorStats } from "./validator-stats.ts";

/** What the methods read from. A run of reads without an await between them sees one snapshot. */
export interface NodeServices {
  chain: ChainReader;
  content: ContentReader;
  world: WorldStateReader;
  core: Core;
  identity: RollupIdentity;
  status: NodeStatus;
  sync: SyncProgress;
  fees: FeeReader;
  outbox: OutboxReader;
  mempool: Mempool;
  txValidator: TxValidityChecker;
  simulator: Simulator;
  p2p: PeerNetwork;
  validatorStats: ValidatorStats;
  setup: SetupRules;
  /** Called only where the namespace `prover` is served. */
  prover: EpochProving;
  /** Called only where the namespace `provingJobSource` is served. */
  jobSource: JobSource;
  signatures: FunctionSignatureRegister;
}
