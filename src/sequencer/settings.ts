/** What an operator decides about block production; may change while the sequencer runs (sheet 06 section 10). */
export interface SequencerSettings {
  /** Pause between two looks at the clock and the chain, milliseconds. */
  pollingIntervalMs: number;
  /** Keep to the timetable: off, nothing is late and a slot is tried until it has a checkpoint. */
  enforceTimeTable: boolean;
  /** Undefined: one block per slot. */
  blockDurationMs: number | undefined;
  /** Seconds; undefined: by the chain. */
  l1PublishingTime: number | undefined;
  /** Seconds, one way between two peers. */
  attestationPropagationTime: number;
  minTxsPerBlock: number;
  /** Least txs that execute; undefined: minTxsPerBlock. */
  minValidTxsPerBlock: number | undefined;
  maxTxsPerBlock: number | undefined;
  maxTxsPerCheckpoint: number | undefined;
  maxL2BlockGas: number | undefined;
  maxDABlockGas: number | undefined;
  perBlockAllocationMultiplier: number;
  buildCheckpointIfEmpty: boolean;
  /** For tests: least blocks of a checkpoint that is proposed. */
  minBlocksForCheckpoint: number | undefined;
  /** Age of a tx before a block may have it, milliseconds. */
  minTxPoolAgeMs: number;
  /** Attesters (lower-case 0x text) whose slots are left out. */
  disabledValidators: readonly string[];
  /** Of governance, that slots of this node signal for; 0x text. */
  governanceProposerPayload: string | undefined;
}
