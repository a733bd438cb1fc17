import type { EpochPerformance } from "../../protocol/slashing/validator-statistics.ts";

/** When a validator counts as inactive, and what it costs. */
export interface InactivitySettings {
  /** Share of missed duties in an epoch, above 0 and at most 1. */
  targetPercentage: number;
  /** Inactive epochs in a row that are an offense, at least 1. */
  consecutiveEpochs: number;
  /** In the staking asset's smallest unit; 0: no offense. */
  penalty: bigint;
}

/**
 * Whether the epoch and the recorded epochs before it, as many as the settings ask for, are all inactive. An epoch
 * without duties is not, and neither is a validator with too few recorded epochs
 * (docs/protocol/12-slashing.md#121-sentinel).
 *
 * @param recorded epochs of one validator, ascending, `epoch` among them.
 */
export function isInactive(
  recorded: readonly EpochPerformance[],
  epoch: number,
  { targetPercentage, consecutiveEpochs }: Pick<InactivitySettings, "targetPercentage" | "consecutiveEpochs">,
): boolean {
  const last = recorded.filter((entry) => entry.epoch <= epoch).slice(-consecutiveEpochs);
  return (
    last.length === consecutiveEpochs &&
    last[last.length - 1].epoch === epoch &&
    last.every(({ missed, total }) => total > 0 && missed / total >= targetPercentage)
  );
}
