/** Sync of chain and world state, which are one. */
export interface SyncControl {
  /** Resolves once nothing is written any more. Repeating it is harmless. */
  pause(): Promise<void>;
  resume(): void;
  /**
   * Rejects with a RollbackRefusedError. With `force` behind the finalized block too. Sync runs afterwards, also after
   * a failure, when `resumeSync` is true, and stands still when it is false.
   */
  rollBackTo(block: number, options: { force: boolean; resumeSync: boolean }): Promise<void>;
}
