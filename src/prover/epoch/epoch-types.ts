import type { HashedTx } from "../../execution/executed-tx.ts";
import type { BlockHeader } from "../../protocol/block-header.ts";
import type { CheckpointHeader } from "../../protocol/checkpoint-header.ts";
import type { Fr } from "../../protocol/field.ts";
import type { TxEffect } from "../../protocol/tx-effect.ts";
import type { Fork } from "../../world-state/fork.ts";
import type { VmPublicInputs } from "../circuits/layouts/vm-public-inputs.ts";

/** What all jobs of an epoch share. */
export interface EpochTerms {
  readonly epoch: number;
  readonly chainId: number;
  readonly version: number;
  /** Root over the released verification keys, which the rollup contract has. */
  readonly vkTreeRoot: Fr;
  readonly protocolContractsHash: Fr;
  /** Address on L1 that earns the rewards; 20 bytes. */
  readonly proverId: Uint8Array;
}

/** What is known when a checkpoint begins. */
export interface CheckpointStart {
  readonly number: number;
  /** Header of the block before the checkpoint; that of genesis for the first one. */
  readonly previousHeader: BlockHeader;
  /** Messages to L2, without padding. */
  readonly messages: readonly Fr[];
  /**
   * State after the block before the checkpoint. From now on only the epoch prover uses it: it appends the messages and
   * applies the blocks, transaction by transaction.
   */
  readonly fork: Fork;
}

/** A block of the chain, with what its proof needs. */
export interface BlockToProve {
  readonly header: BlockHeader;
  /** Archive root after the block. */
  readonly archiveRoot: Uint8Array;
  /** All transactions, in order. */
  readonly txs: readonly TxToProve[];
}

export interface TxToProve extends HashedTx {
  /** Its effect as the blobs have it. */
  readonly effect: TxEffect;
  /**
   * Of a transaction with public calls: resolves once it was executed again. May still be running when the block is
   * added. A rejection fails the epoch.
   */
  readonly publicPart?: Promise<PublicPart>;
}

/** The public part of a transaction as the VM's circuit takes it. */
export interface PublicPart {
  /** Input of its PUBLIC_VM job (encodeVmInput). */
  readonly vmInput: Uint8Array;
  /** The same public inputs as in `vmInput`. */
  readonly publicInputs: VmPublicInputs;
}

/** What is known when a checkpoint is on L1. */
export interface CheckpointEnd {
  readonly header: CheckpointHeader;
  /** Commitments of its blobs, 48 bytes each, as they are on L1. */
  readonly commitments: readonly Uint8Array[];
}

/** A proven epoch: what L1 is given, except for the attestations of its last checkpoint. */
export interface EpochProof {
  readonly epoch: number;
  /** Numbers of the first and the last checkpoint. */
  readonly start: number;
  readonly end: number;
  readonly previousArchive: Fr;
  readonly endArchive: Fr;
  readonly outHash: Fr;
  /** 20 bytes. */
  readonly proverId: Uint8Array;
  /** 64 words: coinbase and sum of fees of each checkpoint; unused places are zero. */
  readonly fees: readonly Fr[];
  /** Of the checkpoints, in order. */
  readonly headers: readonly CheckpointHeader[];
  /** Input of the point evaluation precompile: versioned hash, z, y, commitment, proof; 192 bytes. */
  readonly blobInputs: Uint8Array;
  /** Without public inputs. 42 zero bytes if proofs are simulated. */
  readonly proof: Uint8Array;
  /** The 111 fields that the verifier takes, as the rollup contract's getEpochProofPublicInputs gives them. */
  readonly publicInputs: readonly Fr[];
}
