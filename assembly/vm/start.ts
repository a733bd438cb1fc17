import { deriveMontgomeryFactors } from "../field/montgomery-form";
import { prepareLanes } from "../lanes/start";
import { chooseBuild, chosenBuild, FUSED_LANES } from "../poseidon2/build";
import { deriveConstants } from "../poseidon2/constants";
import { MAIL } from "./host";
import { REQUEST } from "./run";

/** Computes all tables. Must be called once, first. Returns how hashes are computed (poseidon2/build.ts). */
export function initialize(): u32 {
  deriveMontgomeryFactors();
  deriveConstants();
  if (prepareLanes()) chooseBuild(FUSED_LANES);
  return chosenBuild();
}

/** Address of the words exchanged with the host. */
export function mailAt(): usize {
  return MAIL;
}

/** Address of a run's request. */
export function requestAt(): usize {
  return REQUEST;
}
