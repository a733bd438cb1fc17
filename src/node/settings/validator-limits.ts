import type { CheckpointLimits } from "../../checkpoints/checkpoint-terms.ts";
import type { Values } from "../../config/options.ts";

/** The validator's own limits; never those of the sequencer. */
export function validatorLimits(
  values: Pick<
    Values,
    "validateMaxDABlockGas" | "validateMaxL2BlockGas" | "validateMaxTxsPerBlock" | "validateMaxTxsPerCheckpoint"
  >,
  rollupManaLimit: number,
): CheckpointLimits {
  return {
    rollupManaLimit,
    maxTxsPerCheckpoint: values.validateMaxTxsPerCheckpoint,
    maxL2BlockGas: values.validateMaxL2BlockGas,
    maxDaBlockGas: values.validateMaxDABlockGas,
    maxTxsPerBlock: values.validateMaxTxsPerBlock,
  };
}
