import { L1TransactionMissingError } from "../l1/errors.ts";
import { InconsistentL1Error, MessageOrderError, NonSequentialCheckpointError, PrunedHistoryError } from "./errors.ts";
import type { SyncServices } from "./sync-services.ts";
import { publicationOf } from "./unwind-chain.ts";

/** Whether an iteration failed because logs or transactions that L1 must have did not come. */
function saysHistoryMissing(error: unknown): boolean {
  if (error instanceof NonSequentialCheckpointError) return error.got > error.expected;
  return (
    error instanceof InconsistentL1Error ||
    error instanceof MessageOrderError ||
    error instanceof L1TransactionMissingError
  );
}

/**
 * The error to report for a failed iteration: a PrunedHistoryError if endpoints lack the logs or transactions of the L1
 * block of the latest stored checkpoint, or of the rollup's deployment, and with it those of older blocks.
 */
export async function explainFailure(services: SyncServices, error: unknown): Promise<unknown> {
  if (!saysHistoryMissing(error)) return error;
  const { chain, reader, interruption } = services;
  const at = publicationOf(services, chain.latestCheckpointNumber());
  try {
    const missing = await reader.missingHistory(at);
    interruption.signal.throwIfAborted();
    return missing.length === 0 ? error : new PrunedHistoryError(at.number, missing, error as Error);
  } catch {
    // Explaining must not hide the failure itself.
    return error;
  }
}
