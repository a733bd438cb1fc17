import type { ProposedBlock, RebuiltCheckpoint } from "../archiver/rebuilt-checkpoint.ts";
import type { Core } from "../core/core.ts";
import type { ContractSource } from "../execution/contract-directory.ts";
import type { ExecutionRecord } from "../execution/execution-record.ts";
import type { ProcessedTxs, ProcessOptions } from "../execution/process-txs.ts";
import type { Siloing } from "../execution/siloing.ts";
import type { Vm } from "../execution/vm/vm.ts";
import type { Kzg } from "../l1/blobs/kzg.ts";
import type { GasFees, TxGas } from "../protocol/fees/gas-fees.ts";
import type { Generation } from "../protocol/generations/generation.ts";
import type { WorldState } from "../world-state/world-state.ts";

export type { ProposedBlock };

/** Services used to build a checkpoint. Building writes to none of them. */
export interface BuildServices {
  core: Core;
  /** Of the rollup. */
  generation: Generation;
  world: Pick<WorldState, "fork">;
  /** Contracts of the stored blocks. */
  contracts: ContractSource;
  siloing: Siloing;
  /** The VM of the building thread. */
  vm: Vm;
  kzg: Pick<Kzg, "commitment">;
  /** Told of what is executed. */
  record?: ExecutionRecord;
}

/**
 * Limits of a checkpoint and its blocks; an absent limit is unlimited
 * (docs/protocol/08-building-and-checkpoints.md#814-rules-of-a-checkpoint).
 */
export interface CheckpointLimits {
  rollupManaLimit?: number;
  maxTxsPerCheckpoint?: number;
  /** For each block: billed L2 gas, DA gas (32 for each blob field of its txs), and number of txs. */
  maxL2BlockGas?: number;
  maxDaBlockGas?: number;
  maxTxsPerBlock?: number;
}

/**
 * Values that all blocks of a checkpoint share (docs/protocol/08-building-and-checkpoints.md#87-terms-of-a-checkpoint).
 */
export interface CheckpointTerms {
  checkpointNumber: number;
  /** The stored block to build on; default: the latest. */
  parentBlock?: number;
  slot: number;
  /** Start of the slot, Unix seconds. */
  timestamp: number;
  chainId: number;
  version: number;
  /** 20 bytes. */
  coinbase: Uint8Array;
  /** 32 bytes. */
  feeRecipient: Uint8Array;
  gasFees: GasFees;
  /** Including the rollup's mana limit. The remaining room also caps each block. */
  limits: CheckpointLimits;
}

/** Limits of one block; the remaining room of the checkpoint also caps it. */
export interface BlockLimits {
  /** "reexecute" repeats a block of another proposer; default "build". */
  mode?: ProcessOptions["mode"];
  maxTxs?: number;
  maxGas?: Partial<TxGas>;
  maxBlobFields?: number;
  /** Whether to record the reason of reverted txs. */
  recordCalls?: boolean;
  /** With fewer processed txs there is no block; default 1. Only the first block of a checkpoint can be empty. */
  minValidTxs?: number;
  /** Unix milliseconds after which no more txs are executed; a tx being executed is aborted. */
  deadline?: number;
  /** Whether to execute no more txs; a tx being executed is not aborted. */
  interrupted?: () => boolean;
  /** Maximum execution time of one tx, milliseconds. */
  maxTxMilliseconds?: number;
  validate?: ProcessOptions["validate"];
  /**
   * Blob sponge hash of the proposer's header, if a block is repeated. When the block has it only with the revert codes
   * of releases before 4.3, it gets those (docs/protocol/06-public-execution.md#625-revert-codes).
   */
  proposedSpongeHash?: Uint8Array;
}

/**
 * The outcome of each tx, and the block. If there is no block, the state is unchanged and the processed txs may be
 * tried again.
 */
export interface BlockOutcome extends ProcessedTxs {
  block?: ProposedBlock;
}

export interface CompletedCheckpoint extends RebuiltCheckpoint {
  slot: number;
  /** The checkpoint hash that L1 and attestations use. */
  hash: Uint8Array;
  blocks: ProposedBlock[];
  /** 131,072 bytes each, with their KZG commitments (48 bytes) and versioned hashes (32 bytes). */
  blobs: Uint8Array[];
  commitments: Uint8Array[];
  versionedBlobHashes: Uint8Array[];
}
