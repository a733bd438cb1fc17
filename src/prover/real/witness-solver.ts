/** A circuit and its input. */
export interface WitnessTask {
  /** Compressed by gzip. */
  readonly bytecode: Uint8Array;
  /** Field elements back to back. */
  readonly inputs: Uint8Array;
}

/** Computes the values of all wires of a circuit from its input. */
export interface WitnessSolver {
  /**
   * Writes a witness that bb reads into `folder`. Returns its path and, where the solver knows, what the circuit
   * returns. Rejects with a ConstraintError for an input that breaks a constraint, and with a ProvingError for another
   * failure.
   */
  solve(
    task: WitnessTask,
    folder: string,
    signal: AbortSignal,
  ): Promise<{ readonly witness: string; readonly returned: Uint8Array | undefined }>;
  close(): Promise<void>;
}
