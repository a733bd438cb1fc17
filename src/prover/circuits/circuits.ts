import type { BinaryJobType, JobInput } from "../jobs/job-input.ts";
import type { PublicInputs } from "../jobs/job-output.ts";
import { mergeBlocks } from "./block-merge.ts";
import { blockRoot, blockRootEmptyTxFirst, blockRootFirst } from "./block-root.ts";
import { checkpointPadding, epochRoot, mergeCheckpoints } from "./checkpoint-merge.ts";
import { checkpointRoot } from "./checkpoint-root.ts";
import type { CircuitContext } from "./circuit-context.ts";
import { parityBase, parityRoot } from "./parity.ts";
import { privateBase } from "./private-base.ts";
import { publicBase } from "./public-base.ts";
import { mergeTxs } from "./tx-merge.ts";

/**
 * What each circuit returns for an input, computed without the circuit. Throws a ConstraintError or DecodeError for an
 * input that no proof exists of. Not all constraints are checked: a proof of a false statement is never made from the
 * result, because the results only stand beside simulated proofs.
 */
export const CIRCUITS: {
  readonly [T in BinaryJobType]: (context: CircuitContext, input: JobInput<T>) => PublicInputs<T>;
} = {
  PUBLIC_CHONK_VERIFIER: (_, { hidingKernel, proverId }) => ({ kernelOutput: hidingKernel.publicInputs, proverId }),
  PRIVATE_TX_BASE_ROLLUP: privateBase,
  PUBLIC_TX_BASE_ROLLUP: publicBase,
  TX_MERGE_ROLLUP: (_, { children }) => mergeTxs(children),
  BLOCK_ROOT_FIRST_ROLLUP: blockRootFirst,
  BLOCK_ROOT_SINGLE_TX_FIRST_ROLLUP: blockRootFirst,
  BLOCK_ROOT_EMPTY_TX_FIRST_ROLLUP: blockRootEmptyTxFirst,
  BLOCK_ROOT_ROLLUP: blockRoot,
  BLOCK_ROOT_SINGLE_TX_ROLLUP: blockRoot,
  BLOCK_MERGE_ROLLUP: (context, { children }) => mergeBlocks(context, children),
  CHECKPOINT_ROOT_ROLLUP: checkpointRoot,
  CHECKPOINT_ROOT_SINGLE_BLOCK_ROLLUP: checkpointRoot,
  CHECKPOINT_PADDING_ROLLUP: checkpointPadding,
  CHECKPOINT_MERGE_ROLLUP: (_, { children }) => mergeCheckpoints(children),
  ROOT_ROLLUP: (_, { children }) => epochRoot(children),
  PARITY_BASE: parityBase,
  PARITY_ROOT: parityRoot,
};
