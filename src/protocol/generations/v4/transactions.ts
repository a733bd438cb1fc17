import { MAX_DA_GAS_PER_CHECKPOINT } from "../../constants.ts";
import { blocksPerCheckpoint, evenShare, lowerGas, MAX_L2_GAS_PER_TX } from "../gas-limits.ts";
import { builtInSetupCalls } from "../setup-calls.ts";
import { fieldsOf, type TransactionRules } from "../transactions.ts";
import { CONTRACTS } from "./contracts.ts";

const MAX_GAS = { daGas: MAX_DA_GAS_PER_CHECKPOINT, l2Gas: MAX_L2_GAS_PER_TX };

const PROOF_PARTS = [
  { path: ["mega_proof"], fields: 435 },
  { path: ["goblin_proof", "merge_proof"], fields: 42 },
  { path: ["goblin_proof", "eccvm_proof"], fields: 608 },
  { path: ["goblin_proof", "ipa_proof"], fields: 64 },
  { path: ["goblin_proof", "translator_proof"], fields: 786 },
];

/** docs/protocol/07-transactions-and-fees.md. */
export const TRANSACTIONS: TransactionRules = {
  proofFields: fieldsOf(PROOF_PARTS),
  proofParts: PROOF_PARTS,
  proofProgram: {
    package: "@aztec/bb.js",
    majorVersion: 4,
    reducesCoordinates: true,
    readsPoint: false,
    systems: "glibc 2.39 (Debian 13, Ubuntu 24.04)",
  },
  maxBlobFields: undefined,
  maxLists: undefined,
  maxGas: MAX_GAS,
  offeredGas(geometry) {
    const { rollupManaLimit } = geometry;
    return evenShare({ blocks: blocksPerCheckpoint(geometry), fieldsOfLaterBlocks: 0, rollupManaLimit }, MAX_GAS);
  },
  admittedGas: ({ rollupManaLimit }, validator) => lowerGas(lowerGas(MAX_GAS, { l2Gas: rollupManaLimit }), validator),
  gasLimitsApart: false,
  underpriced: "skipped",
  pending: { minFees: false, setup: false },
  setupCalls: builtInSetupCalls(CONTRACTS),
  refusals: { maxGas: "amount of gas that the AVM can process", withValues: false },
};
