import type { HashInput } from "../../core/core.ts";

/** A planned computation: the inputs to hash, and the function from their hashes to the result. */
export interface HashPlan<Result> {
  inputs: HashInput[];
  conclude(hashes: readonly Uint8Array[]): Result;
}
