import type { TransactionRules } from "../transactions.ts";

/** docs/protocol/07-transactions-and-fees.md#73-binary-form. */
export const TRANSACTIONS = { proofFields: 1270, maxBlobFields: 8475 } as const satisfies TransactionRules;
