import type { ProposedBlock, RebuiltCheckpoint } from "../archiver/rebuilt-checkpoint.ts";
import type { Core } from "../core/core.ts";
import type { ContractSource } from "../execution/contract-directory.ts";
import type { ProcessedTxs, ProcessOptions } from "../execution/process-txs.ts";
import type { Siloing } from "../execution/siloing.ts";
import type { Vm } from "../execution/vm/vm.ts";
import type { Kzg } from "../l1/blobs/kzg.ts";
import type { GasFees } from "../protocol/fees/gas-fees.ts";
import type { TxGas } from "../protocol/tx/gas-settings.ts";
import type { WorldState } from "../world-state/world-state.ts";

export type { ProposedBlock };

/** What a checkpoint is built with. None of it is written to. */
export interface BuildServices {
  core: Core;
  world: Pick<WorldState, "fork">;
  /** Contracts of the stored blocks. */
  contracts: ContractSource;
  siloing: Siloing;
  /** Of the thread that builds. */
  vm: Vm;
  kzg: Pick<Kzg, "commitment">;
}

/** What a checkpoint and its blocks must keep; an absent limit has room for anything (sheet 06 section 4.7). */
export interface CheckpointLimits {
  rollupManaLimit?: number;
  maxTxsPerCheckpoint?: number;
  /** Of each block: billed L2 gas, 32 x blob fields of its txs, and txs. */
  maxL2BlockGas?: number;
  maxDaBlockGas?: number;
  maxTxsPerBlock?: number;
}

/** What all blocks of a checkpoint share (sheet 06 section 4.2). */
export interface CheckpointTerms {
  checkpointNumber: number;
  /** The stored block that it follows; default the latest. */
  parentBlock?: number;
  slot: number;
  /** Seconds: the start of the slot. */
  timestamp: number;
  chainId: number;
  version: number;
  /** 20 bytes. */
  coinbase: Uint8Array;
  /** 32 bytes. */
  feeRecipient: Uint8Array;
  gasFees: GasFees;
  /** With the rollup's mana limit; what is left of them also caps each block. */
  limits: CheckpointLimits;
}

/** What one block may take; what is left of the checkpoint caps it. */
export interface BlockLimits {
  maxTxs?: number;
  maxGas?: Partial<TxGas>;
  maxBlobFields?: number;
  /** Whether reverted txs are to have a reason. */
  recordCalls?: boolean;
  /** With fewer processed txs there is no block; default 1. Only the first block of a checkpoint can have none. */
  minValidTxs?: number;
  /** Unix time in milliseconds at which no more txs are taken, inside a tx if need be. */
  deadline?: number;
  /** Milliseconds that one tx may take. */
  maxTxMilliseconds?: number;
  validate?: ProcessOptions["validate"];
}

/**
 * What became of each tx, and the block. Without a block the processed ones are in none: the state is as it was before them, and they may
 * be tried again.
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
