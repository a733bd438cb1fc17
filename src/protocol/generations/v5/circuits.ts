import type { CircuitRules } from "../circuits.ts";
import published from "./data/verification-keys.json" with { type: "json" };
import { PUBLIC_KEY_MEMBERS } from "./public-keys.ts";

/** docs/protocol/13-proving.md#1312-what-each-generation-does. */
export const CIRCUITS: CircuitRules = {
  proofFields: { rollup: 480, honk: 410, vm: 15_516 },
  vmKeyMembers: PUBLIC_KEY_MEMBERS,
  parityNamesProver: true,
  verificationKeys: published.keys,
};
