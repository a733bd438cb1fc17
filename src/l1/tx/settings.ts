/** How transactions are priced, watched and given up (sheet 08 section 5, sheet 09 "L1 transactions"). */
export interface L1TxSettings {
  /** Percent added to estimated gas. */
  gasLimitBufferPercentage: number;
  /** Highest fee per gas, 0 for no limit. */
  maxGwei: number;
  /** Highest fee per blob gas, 0 for no limit. */
  maxBlobGwei: number;
  /** Percent added to the priority fee at the first attempt. */
  priorityFeeBumpPercentage: number;
  /** Percent added at each further one. */
  priorityFeeRetryBumpPercentage: number;
  minimumPriorityFeeGwei: number;
  /** Most times that a transaction is sent again. */
  maxSpeedUpAttempts: number;
  checkIntervalMs: number;
  /** Wait before a transaction is sent again. */
  stallTimeMs: number;
  /** Time after which a transaction is given up, 0 for never. */
  timeoutMs: number;
  cancelOnTimeout: boolean;
  /** Time after which a cancellation is given up. */
  cancellationFinalTimeoutMs: number;
  /** Time after which a cancellation that L1 does not know counts as dropped. */
  unseenConsideredDroppedMs: number;
}
