/** What the contracts on L1 have of their own in a generation. */
export interface L1Rules {
  /** Of the rollup's `propose`, whose first argument holds the checkpoint header of the generation. */
  readonly propose: {
    /** 0x text. */
    readonly selector: `0x${string}`;
    /** Words of the header in ABI encoding: those of checkpoint-header.ts, and what a generation adds after them. */
    readonly headerWords: number;
  };
  /** What the rollup's `submitEpochRootProof` takes of each proven checkpoint. */
  readonly epochProofTakes: "fees" | "headers";
  readonly outbox: {
    /** Whether the outbox has a root for each number of proven checkpoints of an epoch; otherwise it has one. */
    readonly rootsByCount: boolean;
  };
  /** EIP-712 name of the contract that takes votes on validators. */
  readonly slashingDomain: string;
}
