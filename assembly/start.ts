import { deriveMontgomeryFactors } from "./field/montgomery-form";
import { prepareLanes } from "./lanes/start";
import { deriveConstants } from "./poseidon2/constants";
import { deriveZeroHashes } from "./trees/zero-hashes";

/** Derives all tables. Called once, before anything else. */
export function initialize(): void {
  deriveMontgomeryFactors();
  deriveConstants();
  prepareLanes();
  deriveZeroHashes();
}

/** First byte of memory that belongs to the host, aligned to 16. */
export function scratchStart(): usize {
  return (__heap_base + 15) & ~15;
}
