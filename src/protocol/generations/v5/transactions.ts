import { DA_GAS_PER_FIELD } from "../../constants.ts";
import type { TransactionRules } from "../transactions.ts";

const MAX_BLOB_FIELDS = 8475;

/** docs/protocol/07-transactions-and-fees.md#73-binary-form. */
export const TRANSACTIONS = {
  proofFields: 1270,
  maxBlobFields: MAX_BLOB_FIELDS,
  gasLimits: { maxDaGas: MAX_BLOB_FIELDS * DA_GAS_PER_FIELD, fieldsOfFurtherBlocks: 6 },
} as const satisfies TransactionRules;
