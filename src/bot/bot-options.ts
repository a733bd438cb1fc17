import type { Values } from "../config/options.ts";
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

type BotValues = Pick<
  Values,
  | "botTxIntervalSeconds"
  | "botPrivateTransfersPerTx"
  | "botPublicTransfersPerTx"
  | "botMinFeePadding"
  | "botNoStart"
  | "botTxMinedWaitSeconds"
  | "botFollowChain"
  | "botMaxPendingTxs"
  | "botFlushSetupTransactions"
  | "botL2GasLimit"
  | "botDaGasLimit"
  | "botMaxConsecutiveErrors"
  | "botStopWhenUnhealthy"
  | "botMode"
  | "botContract"
  | "nodeAdminUrl"
>;

/** Throws a BotRefusedError for settings that the bot does not support. */
export function botOptions(values: BotValues): BotOptions {
  const { botPrivateTransfersPerTx: privateTransfersPerTx, botPublicTransfersPerTx: publicTransfersPerTx } = values;
  if (values.botMode !== "transfer") {
    throw new BotRefusedError(`BOT_MODE must be transfer, got ${values.botMode}: the bot makes no other transactions`);
  }
  if (values.botContract !== "TokenContract") {
    throw new BotRefusedError(`BOT_TOKEN_CONTRACT must be TokenContract, got ${values.botContract}`);
  }
  if (privateTransfersPerTx + publicTransfersPerTx === 0) {
    throw new BotRefusedError("BOT_PRIVATE_TRANSFERS_PER_TX and BOT_PUBLIC_TRANSFERS_PER_TX must not both be 0");
  }
  if (values.botFlushSetupTransactions && values.nodeAdminUrl === undefined) {
    throw new BotRefusedError("BOT_FLUSH_SETUP_TRANSACTIONS needs the node's admin URL: AZTEC_NODE_ADMIN_URL");
  }
  // Both limits or none, as in the reference's bot; 0 means none.
  const limits =
    values.botL2GasLimit && values.botDaGasLimit
      ? { l2GasLimit: values.botL2GasLimit, daGasLimit: values.botDaGasLimit }
      : {};
  return {
    txIntervalMs: values.botTxIntervalSeconds * 1000,
    privateTransfersPerTx,
    publicTransfersPerTx,
    minFeePadding: values.botMinFeePadding,
    noStart: values.botNoStart,
    txMinedWaitMs: values.botTxMinedWaitSeconds * 1000,
    followChain: values.botFollowChain,
    maxPendingTxs: values.botMaxPendingTxs,
    flushSetupTransactions: values.botFlushSetupTransactions,
    ...limits,
    maxConsecutiveErrors: values.botMaxConsecutiveErrors,
    stopWhenUnhealthy: values.botStopWhenUnhealthy,
  };
}
