import { deriveMontgomeryFactors } from "../field/montgomery-form";
import { prepareLanes } from "../lanes/start";
import { chooseBuild, chosenBuild, FUSED_LANES } from "../poseidon2/build";
import { deriveConstants } from "../poseidon2/constants";
import { MAIL } from "./host";
import { REQUEST } from "./run";

/** Derives all tables. Called once, before anything else. Returns how hashes are computed (poseidon2/build.ts). */
export function initialize(): u32 {
  deriveMontgomeryFactors();
  deriveConstants();
  if (prepareLanes()) chooseBuild(FUSED_LANES);
  return chosenBuild();
}

/** Where words to and from the host are. */
export function mailAt(): usize {
  return MAIL;
}

/** Where a run's request goes. */
export function requestAt(): usize {
  return REQUEST;
}
