import type { CircuitRules } from "../circuits.ts";
import published from "./data/verification-keys.json" with { type: "json" };
import { KEY_POINTS } from "./public-keys.ts";

/** docs/protocol/13-proving.md#1312-what-each-generation-does. */
export const CIRCUITS: CircuitRules = {
  proofFields: { rollup: 519, honk: 449, vm: 16_400 },
  vmKeyMembers: KEY_POINTS,
  parityNamesProver: false,
  verificationKeys: published.keys,
};
