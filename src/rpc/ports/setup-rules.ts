import type { AllowedSetupCall } from "../../protocol/generations/transactions.ts";
import type { Eventually } from "./eventually.ts";

export interface SetupRules {
  /** What this node's configuration adds to the calls allowed during setup. */
  allowed(): Eventually<readonly AllowedSetupCall[]>;
}
