import { deriveMontgomeryFactors } from "../field/montgomery-form";
import { prepareLanes } from "../lanes/start";
import { deriveConstants } from "../poseidon2/constants";
import { MAIL } from "./host";
import { REQUEST } from "./run";

/** Derives all tables. Called once, before anything else. */
export function initialize(): void {
  deriveMontgomeryFactors();
  deriveConstants();
  prepareLanes();
}

/** Where words to and from the host are. */
export function mailAt(): usize {
  return MAIL;
}

/** Where a run's request goes. */
export function requestAt(): usize {
  return REQUEST;
}
