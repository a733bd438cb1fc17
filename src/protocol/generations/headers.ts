/** The checkpoint header: the bytes of checkpoint-header.ts, and what a generation adds after them. */
export interface HeaderRules {
  readonly checkpointBytes: number;
  /** Offset of the sum of the blocks' transaction fees, 32 bytes; undefined if the header does not commit to it. */
  readonly accumulatedFeesAt: number | undefined;
}
