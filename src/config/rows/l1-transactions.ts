import { boolean } from "../kinds/kinds.ts";
import { integer, MAX_CONCURRENCY, MAX_COUNT, MAX_MILLISECONDS } from "../kinds/number-kinds.ts";
import { rowsOf } from "../kinds/option.ts";

const rows = rowsOf("L1 transactions", "publisher");

export const l1Transactions = {
  l1TxGasLimitBufferPercentage: rows.withDefault(
    {
      env: ["L1_GAS_LIMIT_BUFFER_PERCENTAGE"],
      kind: integer(0, MAX_COUNT),
      to: ["l1Txs.gasLimitBufferPercentage"],
      meaning: "percentage added to the gas estimate",
    },
    20,
  ),
  l1TxMaxGwei: rows.withDefault(
    {
      env: ["L1_GAS_PRICE_MAX", "L1_FEE_PER_GAS_GWEI_MAX"],
      kind: integer(0, MAX_COUNT),
      to: ["l1Txs.maxGwei"],
      meaning: "maximum fee per gas in gwei, 0 for no limit",
    },
    2000,
  ),
  l1TxMaxBlobGwei: rows.withDefault(
    {
      env: ["L1_BLOB_FEE_PER_GAS_MAX", "L1_BLOB_FEE_PER_GAS_GWEI_MAX"],
      kind: integer(0, MAX_COUNT),
      to: ["l1Txs.maxBlobGwei"],
      meaning: "maximum fee per blob gas in gwei, 0 for no limit",
    },
    3000,
  ),
  l1TxPriorityFeeBumpPercentage: rows.withDefault(
    {
      env: ["L1_PRIORITY_FEE_BUMP_PERCENTAGE"],
      kind: integer(0, MAX_COUNT),
      to: ["l1Txs.priorityFeeBumpPercentage"],
      meaning: "percentage added to the priority fee for the first attempt",
    },
    20,
  ),
  l1TxPriorityFeeRetryBumpPercentage: rows.withDefault(
    {
      env: ["L1_PRIORITY_FEE_RETRY_BUMP_PERCENTAGE"],
      kind: integer(0, MAX_COUNT),
      to: ["l1Txs.priorityFeeRetryBumpPercentage"],
      meaning: "percentage added to the priority fee for each retry",
    },
    50,
  ),
  l1TxMinimumPriorityFeeGwei: rows.withDefault(
    {
      env: [
        "L1_MINIMUM_PRIORITY_FEE_PER_GAS_GWEI",
        "L1_FIXED_PRIORITY_FEE_PER_GAS",
        "L1_FIXED_PRIORITY_FEE_PER_GAS_GWEI",
      ],
      deprecated: ["L1_FIXED_PRIORITY_FEE_PER_GAS", "L1_FIXED_PRIORITY_FEE_PER_GAS_GWEI"],
      kind: integer(0, MAX_COUNT),
      to: ["l1Txs.minimumPriorityFeeGwei"],
      meaning: "minimum priority fee in gwei",
    },
    0,
  ),
  l1TxMaxSpeedUpAttempts: rows.withDefault(
    {
      env: ["L1_TX_MONITOR_MAX_ATTEMPTS"],
      kind: integer(0, MAX_CONCURRENCY),
      to: ["l1Txs.maxSpeedUpAttempts"],
      meaning: "maximum number of times that a tx is resent with higher fees",
    },
    3,
  ),
  l1TxCheckIntervalMs: rows.withDefault(
    {
      env: ["L1_TX_MONITOR_CHECK_INTERVAL_MS"],
      kind: integer(1, MAX_MILLISECONDS),
      to: ["l1Txs.checkIntervalMs"],
      meaning: "polling interval for a sent tx, in ms",
    },
    1000,
  ),
  l1TxStallTimeMs: rows.withDefault(
    {
      env: ["L1_TX_MONITOR_STALL_TIME_MS"],
      kind: integer(0, MAX_MILLISECONDS),
      to: ["l1Txs.stallTimeMs"],
      meaning: "time without inclusion after which a tx is resent with higher fees, in ms",
    },
    12000,
  ),
  l1TxTimeoutMs: rows.withDefault(
    {
      env: ["L1_TX_MONITOR_TX_TIMEOUT_MS"],
      kind: integer(0, MAX_MILLISECONDS),
      to: ["l1Txs.timeoutMs"],
      meaning: "time after which a tx is abandoned, in ms, 0 for never",
    },
    120_000,
  ),
  l1TxCancelOnTimeout: rows.withDefault(
    {
      env: ["L1_TX_MONITOR_CANCEL_TX_ON_TIMEOUT"],
      kind: boolean,
      to: ["l1Txs.cancelOnTimeout"],
      meaning: "cancel a tx when it is abandoned",
    },
    true,
  ),
  l1TxCancellationFinalTimeoutMs: rows.withDefault(
    {
      env: ["L1_TX_MONITOR_TX_CANCELLATION_TIMEOUT_MS"],
      kind: integer(0, MAX_MILLISECONDS),
      to: ["l1Txs.cancellationFinalTimeoutMs"],
      meaning: "time after which a cancellation is abandoned, in ms",
    },
    288_000,
  ),
  l1TxUnseenConsideredDroppedMs: rows.withDefault(
    {
      env: ["L1_TX_MONITOR_TX_UNSEEN_CONSIDERED_DROPPED_MS"],
      kind: integer(0, MAX_MILLISECONDS),
      to: ["l1Txs.unseenConsideredDroppedMs"],
      meaning: "time after which a cancellation that L1 does not know counts as dropped, in ms",
    },
    72000,
  ),
};
