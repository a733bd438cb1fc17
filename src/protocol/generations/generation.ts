import type { ApiRules } from "./api.ts";
import type { CircuitRules } from "./circuits.ts";
import type { ConsensusRules } from "./consensus.ts";
import type { ContractRules } from "./contracts.ts";
import type { ExecutionRules } from "./execution.ts";
import type { GenesisRules } from "./genesis.ts";
import type { HashingRules } from "./hashing.ts";
import type { HeaderRules } from "./headers.ts";
import type { L1Rules } from "./l1.ts";
import type { TransactionRules } from "./transactions.ts";

/**
 * What a rollup's protocol has to say for itself: one value for each generation, in a folder of its own. A rollup never
 * changes its generation. Code that serves any rollup is given the value and reads a field or calls a function of it;
 * none compares names. What all generations have in common stands outside of this folder.
 */
export interface Generation {
  /** Name in the store's identity, in messages to threads and in errors. */
  readonly name: string;
  /** Inner nodes of Merkle trees, batched blobs: docs/protocol/02-trees.md#22-nodes-and-empty-subtrees. */
  readonly hashing: HashingRules;
  /** Block 0: docs/protocol/02-trees.md#212-genesis-trees. */
  readonly genesis: GenesisRules;
  /** Circuits, protocol contracts, addresses: docs/protocol/01-fields-and-hashing.md#123-protocol-contracts. */
  readonly contracts: ContractRules;
  /** Checkpoint headers: docs/protocol/03-blocks-and-blobs.md#35-checkpoint-header. */
  readonly headers: HeaderRules;
  /** Forms and limits of transactions: docs/protocol/07-transactions-and-fees.md#73-binary-form. */
  readonly transactions: TransactionRules;
  /**
   * The public VM and the phases of transactions: docs/protocol/06-public-execution.md#634-what-each-generation-does.
   */
  readonly execution: ExecutionRules;
  /** What proposers and attesters sign: docs/protocol/10-peers.md#1010-signatures. */
  readonly consensus: ConsensusRules;
  /** Circuits of an epoch's proof: docs/protocol/13-proving.md. */
  readonly circuits: CircuitRules;
  /** Contracts on L1: docs/protocol/04-l1-contracts.md. */
  readonly l1: L1Rules;
  /** JSON-RPC: docs/protocol/05-rpc.md. */
  readonly api: ApiRules;
}
