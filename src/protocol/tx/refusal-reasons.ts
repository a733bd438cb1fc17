import type { TransactionRules } from "../generations/transactions.ts";

/**
 * The network's reason texts for invalid txs, or what they begin with
 * (docs/protocol/07-transactions-and-fees.md#713-rules-and-reasons).
 */
export const REASON = {
  notPermitted: "Transactions are not permitted",
  expired: "Invalid expiration timestamp",
  tooLarge: "Transaction size above size limit",
  chainId: "Incorrect L1 chain id",
  rollupVersion: "Incorrect rollup version",
  vkTreeRoot: "Incorrect verification keys tree root",
  protocolContracts: "Incorrect protocol contracts hash",
  anchorBlock: "Block header not found",
  duplicateNullifier: "Duplicate nullifier in tx",
  existingNullifier: "Existing nullifier",
  hash: "Incorrect tx hash",
  calldataCount: "Wrong number of calldata for public calls",
  calldataSize: "Total calldata too large for enqueued public calls",
  calldata: "Incorrect calldata for public call",
  classLogCount: "Mismatched number of contract class logs",
  classLogs: "Mismatched contract class logs",
  classLogOrder: "Incorrectly sorted contract class logs",
  classLogLength: "Incorrect contract class logs length",
  classLog: "Failed to parse contract class registration log",
  classId: "Incorrect contract class id",
  instanceLog: "Failed to parse contract instance deployment log",
  instanceAddress: "Incorrect contract instance deployment address",
  gasLimitLow: "Gas limit is below the minimum fixed cost",
  gasLimitHigh: "Gas limit is higher than the",
  feePerGas: "Insufficient fee per gas",
  balance: "Insufficient fee payer balance",
  proof: "Invalid proof",
  setupNotAllowed: "Setup function not on allow list",
  setupUnknownContract: "Setup function targets unknown contract",
  setupNotSelf: "Setup only_self function called with incorrect msg_sender",
  setupNullSender: "Setup function called with null msg sender",
  setupCalldataLength: "Setup function called with wrong calldata length",
  unexpected: "Unexpected error during validation",
} as const;

/** A reason with what was compared, where the generation's reasons say it. */
export function reasonWith(reason: string, values: string, { refusals }: Pick<TransactionRules, "refusals">): string {
  return refusals.withValues ? `${reason} (${values})` : reason;
}

/** Whether a text is a reason, with or without what was compared. */
export function isReason(text: string, reason: string): boolean {
  return text === reason || text.startsWith(`${reason} (`);
}
