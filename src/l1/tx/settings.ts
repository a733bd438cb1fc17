/**
 * Settings for pricing, watching and abandoning transactions
 * (docs/protocol/08-building-and-checkpoints.md#824-fees-on-l1).
 */
export interface L1TxSettings {
  /** Percentage added to the gas estimate. */
  gasLimitBufferPercentage: number;
  /** Maximum fee per gas, 0 for no limit. */
  maxGwei: number;
  /** Maximum fee per blob gas, 0 for no limit. */
  maxBlobGwei: number;
  /** Percentage added to the priority fee for the first attempt. */
  priorityFeeBumpPercentage: number;
  /** Percentage added for each retry. */
  priorityFeeRetryBumpPercentage: number;
  minimumPriorityFeeGwei: number;
  /** Maximum number of times that a transaction is resent with higher fees. */
  maxSpeedUpAttempts: number;
  checkIntervalMs: number;
  /** Time without inclusion after which a transaction is resent. */
  stallTimeMs: number;
  /** Time after which a transaction is abandoned, 0 for never. */
  timeoutMs: number;
  cancelOnTimeout: boolean;
  /** Time after which a cancellation is abandoned. */
  cancellationFinalTimeoutMs: number;
  /** Time after which a cancellation that L1 does not know counts as dropped. */
  unseenConsideredDroppedMs: number;
}
