import type { L1Block } from "../../l1/types.ts";

/** How far L1 was followed. */
export interface SyncProgress {
  /** The L1 block last finished; undefined before the first. */
  lastProcessedL1Block(): L1Block | undefined;
}
