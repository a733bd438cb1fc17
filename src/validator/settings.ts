/** The operator's settings of a validator; they may change while it runs. */
export interface ValidatorSettings {
  /** Milliseconds between two looks for attestations while collecting them. */
  pollingIntervalMs: number;
  /** Attesters (lower-case 0x text) that do not sign. */
  disabled: readonly string[];
  /** Whether a member of the committee executes the blocks of its slots. */
  reexecutes: boolean;
  /** Whether the txs of a block are sent along with its proposal. */
  sendsTxs: boolean;
}
