import type { PartValues } from "../config/part-values.ts";
import { BotRefusedError } from "./errors.ts";

/** Settings of the bot, from the options of group "Bot" (docs/configuration.md). */
export interface BotOptions {
  txIntervalMs: number;
  privateTransfersPerTx: number;
  publicTransfersPerTx: number;
  /** The fee offered is the current minimum fee times (1 + this value). */
  minFeePadding: number;
  /** Set up the bot, but send no transfers. */
  noStart: boolean;
  txMinedWaitMs: number;
  followChain: "NONE" | "PROPOSED" | "CHECKPOINTED" | "PROVEN";
  /** 0 means no limit. */
  maxPendingTxs: number;
  flushSetupTransactions: boolean;
  l2GasLimit?: number;
  daGasLimit?: number;
  /** 0 means never unhealthy. */
  maxConsecutiveErrors: number;
  stopWhenUnhealthy: boolean;
}

/** Throws a BotRefusedError for settings that the bot does not support. */
export function botOptions(values: PartValues["bot"]): BotOptions {
  const { privateTransfersPerTx, publicTransfersPerTx } = values;
  if (values.mode !== "transfer") {
    throw new BotRefusedError(`BOT_MODE must be transfer, got ${values.mode}: the bot makes no other transactions`);
  }
  if (values.contract !== "TokenContract") {
    throw new BotRefusedError(`BOT_TOKEN_CONTRACT must be TokenContract, got ${values.contract}`);
  }
  if (privateTransfersPerTx + publicTransfersPerTx === 0) {
    throw new BotRefusedError("BOT_PRIVATE_TRANSFERS_PER_TX and BOT_PUBLIC_TRANSFERS_PER_TX must not both be 0");
  }
  if (values.flushSetupTransactions && values.nodeAdminUrl === undefined) {
    throw new BotRefusedError("BOT_FLUSH_SETUP_TRANSACTIONS needs the node's admin URL: AZTEC_NODE_ADMIN_URL");
  }
  // Both limits or none, as in the reference's bot; 0 means none.
  const limits =
    values.l2GasLimit && values.daGasLimit ? { l2GasLimit: values.l2GasLimit, daGasLimit: values.daGasLimit } : {};
  return {
    txIntervalMs: values.txIntervalSeconds * 1000,
    privateTransfersPerTx,
    publicTransfersPerTx,
    minFeePadding: values.minFeePadding,
    noStart: values.noStart,
    txMinedWaitMs: values.txMinedWaitSeconds * 1000,
    followChain: values.followChain,
    maxPendingTxs: values.maxPendingTxs,
    flushSetupTransactions: values.flushSetupTransactions,
    ...limits,
    maxConsecutiveErrors: values.maxConsecutiveErrors,
    stopWhenUnhealthy: values.stopWhenUnhealthy,
  };
}
