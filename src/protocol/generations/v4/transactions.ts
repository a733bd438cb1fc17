import { MAX_DA_GAS_PER_CHECKPOINT } from "../../constants.ts";
import type { TransactionRules } from "../transactions.ts";

/** docs/protocol/07-transactions-and-fees.md#73-binary-form. */
export const TRANSACTIONS: TransactionRules = {
  proofFields: 1935,
  maxBlobFields: undefined,
  gasLimits: { maxDaGas: MAX_DA_GAS_PER_CHECKPOINT, fieldsOfFurtherBlocks: 0 },
};
