import type { CheckpointHeader } from "../checkpoint-header.ts";
import type { Fr } from "../field.ts";

/** The checkpoint header: the bytes of checkpoint-header.ts, and what a generation adds after them. */
export interface HeaderRules {
  readonly checkpointBytes: number;
  /** Offset of the sum of the blocks' transaction fees, 32 bytes; undefined if the header does not commit to it. */
  readonly accumulatedFeesAt: number | undefined;
}

/** Writes the sum of the blocks' transaction fees into a header of a generation that commits to it. */
export function setAccumulatedFees(header: CheckpointHeader, { accumulatedFeesAt }: HeaderRules, fees: Fr): void {
  if (accumulatedFeesAt !== undefined) header.set(fees, accumulatedFeesAt);
}
