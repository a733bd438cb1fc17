/** Block production. */
export interface SequencerControl {
  /** Stops building blocks; pending txs stay where they are. Repeating it is harmless. */
  pause(): void;
  /** Undoes pause; without one it does nothing. */
  resume(): void;
}
