import { deriveMontgomeryFactors } from "./field/montgomery-form";
import { prepareLanes } from "./lanes/start";
import { deriveConstants } from "./poseidon2/constants";
import { deriveZeroHashes } from "./trees/zero-hashes";

/**
 * Derives all tables. Called once, before anything else. Hashes are computed in vector lanes when that is wanted and exact on this
 * processor, which is returned, and by scalar code otherwise.
 */
export function initialize(lanes: bool): bool {
  deriveMontgomeryFactors();
  deriveConstants();
  const chosen = lanes && prepareLanes();
  deriveZeroHashes();
  return chosen;
}

/** First byte of memory that belongs to the host, aligned to 16. */
export function scratchStart(): usize {
  return (__heap_base + 15) & ~15;
}
