/**
 * A block after the first of a checkpoint would be empty
 * (docs/protocol/08-building-and-checkpoints.md#812-closing-a-block). The state is unchanged.
 */
export class EmptyBlockError extends Error {
  readonly blockNumber: number;
  constructor(blockNumber: number) {
    super("Cannot add empty block that is not the first block in the checkpoint.");
    this.name = "EmptyBlockError";
    this.blockNumber = blockNumber;
  }
}

/** A checkpoint cannot be started, or its builder can no longer be used. */
export class CheckpointBuildError extends Error {
  readonly checkpointNumber: number;
  constructor(checkpointNumber: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CheckpointBuildError";
    this.checkpointNumber = checkpointNumber;
  }
}

/**
 * A checkpoint breaks a rule that validators check before they attest to it
 * (docs/protocol/08-building-and-checkpoints.md#814-rules-of-a-checkpoint).
 */
export class CheckpointRuleError extends Error {
  readonly checkpointNumber: number;
  readonly slot: number;
  constructor(message: string, { checkpointNumber, slot }: { checkpointNumber: number; slot: number }) {
    super(message);
    this.name = "CheckpointRuleError";
    this.checkpointNumber = checkpointNumber;
    this.slot = slot;
  }
}
