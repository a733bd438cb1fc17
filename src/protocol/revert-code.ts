/** Revert codes that the release computes (docs/protocol/06-public-execution.md#625-revert-codes). */
export const OK = 0;
/** App logic, teardown or both reverted. Blocks may hold other codes, each of which is read as this one. */
export const REVERTED = 1;
