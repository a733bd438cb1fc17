import { ChonkVerifierInput, PrivateBaseInput, PublicBaseInput } from "../circuits/layouts/tx-base.ts";
import {
  BlockMergeInput,
  BlockRootEmptyTxFirstInput,
  BlockRootFirstInput,
  BlockRootInput,
  BlockRootSingleTxFirstInput,
  BlockRootSingleTxInput,
  CheckpointMergeInput,
  CheckpointRootInput,
  CheckpointRootSingleBlockInput,
  ParityBaseInput,
  ParityRootInput,
  TxMergeInput,
} from "../circuits/layouts/upper-inputs.ts";
import { type Codec, type Decoded, struct } from "../codec/codec.ts";
import type { JobTypeName } from "./job-type.ts";

/** Inputs in binary form. That of PUBLIC_VM is JSON (vm-input.ts). */
export const JOB_INPUTS = {
  PUBLIC_CHONK_VERIFIER: ChonkVerifierInput,
  PRIVATE_TX_BASE_ROLLUP: PrivateBaseInput,
  PUBLIC_TX_BASE_ROLLUP: PublicBaseInput,
  TX_MERGE_ROLLUP: TxMergeInput,
  BLOCK_ROOT_FIRST_ROLLUP: BlockRootFirstInput,
  BLOCK_ROOT_SINGLE_TX_FIRST_ROLLUP: BlockRootSingleTxFirstInput,
  BLOCK_ROOT_EMPTY_TX_FIRST_ROLLUP: BlockRootEmptyTxFirstInput,
  BLOCK_ROOT_ROLLUP: BlockRootInput,
  BLOCK_ROOT_SINGLE_TX_ROLLUP: BlockRootSingleTxInput,
  BLOCK_MERGE_ROLLUP: BlockMergeInput,
  CHECKPOINT_ROOT_ROLLUP: CheckpointRootInput,
  CHECKPOINT_ROOT_SINGLE_BLOCK_ROLLUP: CheckpointRootSingleBlockInput,
  /** Has no input. */
  CHECKPOINT_PADDING_ROLLUP: struct({}),
  CHECKPOINT_MERGE_ROLLUP: CheckpointMergeInput,
  ROOT_ROLLUP: CheckpointMergeInput,
  PARITY_BASE: ParityBaseInput,
  PARITY_ROOT: ParityRootInput,
} as const satisfies Record<Exclude<JobTypeName, "PUBLIC_VM">, Codec<never> | Codec<unknown>>;

/** Job types whose input has a binary form. */
export type BinaryJobType = keyof typeof JOB_INPUTS;

export type JobInput<T extends BinaryJobType> = Decoded<(typeof JOB_INPUTS)[T]>;
