import type { CircuitRules } from "../circuits.ts";
import published from "./data/verification-keys.json" with { type: "json" };

/** docs/protocol/13-proving.md#1312-what-each-generation-does. */
export const CIRCUITS: CircuitRules = {
  proofFields: { rollup: 480, honk: 410, vm: 15_516 },
  parityNamesProver: true,
  verificationKeys: published.keys,
};
