/** Runs bb: as processes of the network's program, or on threads in WebAssembly. Both are started once and kept. */
export interface BbBackend {
  /** Resolves once proofs can be verified; rejects with a BbProgramError or BbAnswerError if they cannot be. */
  readonly ready: Promise<unknown>;
  /**
   * The verdict about a proof by the command that verifies it. Rejects with a BbProgramError when there is none within
   * the backend's time limit.
   */
  verify(command: Uint8Array): Promise<boolean>;
  close(): Promise<void>;
}
