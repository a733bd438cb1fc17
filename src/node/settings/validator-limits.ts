import type { CheckpointLimits } from "../../checkpoints/checkpoint-terms.ts";
import type { PartValues } from "../../config/part-values.ts";

/** The validator's own limits; never those of the sequencer. */
export function validatorLimits(limits: PartValues["validator"]["limits"], rollupManaLimit: number): CheckpointLimits {
  return { rollupManaLimit, ...limits };
}
