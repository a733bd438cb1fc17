import { deriveMontgomeryFactors } from "./field/montgomery-form";
import { deriveIntegersDiagonal } from "./lanes/integers/linear-layers";
import { prepareLanes } from "./lanes/start";
import { chooseBuild, chosenBuild, FUSED_LANES, INTEGER_LANES } from "./poseidon2/build";
import { deriveConstants } from "./poseidon2/constants";

/**
 * Derives all tables. Called once, before anything else. Returns how hashes are computed (poseidon2/build.ts): as
 * `wanted`, but by the integer lanes where the fused ones are not exact on this processor.
 */
export function initialize(wanted: u32): u32 {
  deriveMontgomeryFactors();
  deriveConstants();
  deriveIntegersDiagonal();
  const exact = wanted == FUSED_LANES && prepareLanes();
  chooseBuild(exact ? FUSED_LANES : min(wanted, INTEGER_LANES));
  return chosenBuild();
}

/** First byte of memory that belongs to the host, aligned to 16. */
export function scratchStart(): usize {
  return (__heap_base + 15) & ~15;
}
