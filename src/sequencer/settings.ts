/**
 * The operator's settings of block production; they may change while the sequencer runs
 * (docs/protocol/08-building-and-checkpoints.md#89-building-loop).
 */
export interface SequencerSettings {
  /** Milliseconds between two turns. */
  pollingIntervalMs: number;
  /** Enforce the deadlines of the timetable. Off: nothing is late, and a slot is tried until it has a checkpoint. */
  enforceTimeTable: boolean;
  /** Undefined: one block per slot. */
  blockDurationMs: number | undefined;
  /** Seconds; undefined: derived from the chain. */
  l1PublishingTime: number | undefined;
  /** Seconds, one way between two peers. */
  attestationPropagationTime: number;
  minTxsPerBlock: number;
  /** Minimum number of txs that execute; undefined: minTxsPerBlock. */
  minValidTxsPerBlock: number | undefined;
  maxTxsPerBlock: number | undefined;
  maxTxsPerCheckpoint: number | undefined;
  maxL2BlockGas: number | undefined;
  maxDABlockGas: number | undefined;
  perBlockAllocationMultiplier: number;
  buildCheckpointIfEmpty: boolean;
  /** For tests: a checkpoint with fewer blocks is not proposed. */
  minBlocksForCheckpoint: number | undefined;
  /** Minimum age of a tx to be included in a block, milliseconds. */
  minTxPoolAgeMs: number;
  /** A node with fewer connected peers does not propose to a committee; 0: any number will do. */
  minPeersToPropose: number;
  /** Attesters (lower-case 0x text) that do not propose. */
  disabledValidators: readonly string[];
  /**
   * Seconds after which a bad checkpoint is removed from L1 by a committee member, and by anybody, out of turn; 0:
   * never.
   */
  invalidateAfterAsMember: number;
  invalidateAfterAsOther: number;
  /** Address of the governance payload that this node signals for; 0x text. */
  governanceProposerPayload: string | undefined;
}
