import { DA_GAS_PER_FIELD } from "../../constants.ts";
import { blocksPerCheckpoint, evenShare, MAX_L2_GAS_PER_TX, type NetworkGeometry } from "../gas-limits.ts";
import { builtInSetupCalls } from "../setup-calls.ts";
import { fieldsOf, type TransactionRules } from "../transactions.ts";
import { CONTRACTS } from "./contracts.ts";

const MAX_BLOB_FIELDS = 8475;
/** What the effects of one transaction can take of a blob. */
const MAX_GAS = { daGas: MAX_BLOB_FIELDS * DA_GAS_PER_FIELD, l2Gas: MAX_L2_GAS_PER_TX };

/** Where a network sets nothing else. */
const MAX_BLOCKS_PER_CHECKPOINT = 24;
/** End fields of a block after the first. */
const BLOCK_END_FIELDS = 6;

function networkGas(geometry: NetworkGeometry) {
  const { rollupManaLimit, maxBlocks = MAX_BLOCKS_PER_CHECKPOINT } = geometry;
  const blocks = Math.min(maxBlocks, blocksPerCheckpoint(geometry));
  return evenShare({ blocks, fieldsOfLaterBlocks: BLOCK_END_FIELDS, rollupManaLimit }, MAX_GAS);
}

const PROOF_PARTS = [
  { path: ["hiding_oink_proof"], fields: 76 },
  { path: ["merge_proof"], fields: 41 },
  { path: ["eccvm_proof"], fields: 612 },
  { path: ["ipa_proof"], fields: 64 },
  { path: ["joint_proof"], fields: 477 },
];

/** docs/protocol/07-transactions-and-fees.md#730-what-each-generation-does. */
export const TRANSACTIONS: TransactionRules = {
  proofFields: fieldsOf(PROOF_PARTS),
  proofParts: PROOF_PARTS,
  proofProgram: {
    package: "bb.js-5",
    majorVersion: 5,
    reducesCoordinates: false,
    readsPoint: true,
    systems: "glibc 2.36 (Debian 12, Ubuntu 24.04)",
  },
  maxBlobFields: MAX_BLOB_FIELDS,
  maxLists: { classLogs: 1, calldata: 33, calldataFields: 16_000 },
  maxGas: MAX_GAS,
  offeredGas: networkGas,
  admittedGas: networkGas,
  gasLimitsApart: true,
  underpriced: "invalid",
  pending: { minFees: true, setup: true },
  setupCalls: builtInSetupCalls(CONTRACTS),
  refusals: { maxGas: "maximum amount of gas this network allows per tx", withValues: true },
};
