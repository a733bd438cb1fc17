/** Runs bb: as processes of the network's program, or on threads in WebAssembly. Both are started once and kept. */
export interface BbBackend {
  /**
   * Of the preparation at the start: resolves once proofs can be verified, and rejects with a BbProgramError if they
   * cannot be. The next verification then prepares anew.
   */
  readonly ready: Promise<unknown>;
  /** Why the last preparation failed; undefined if it did not. */
  readonly fault?: Error;
  /**
   * The verdict about a proof by the command that verifies it. Rejects with a BbProgramError when there is none within
   * the backend's time limit.
   */
  verify(command: Uint8Array): Promise<boolean>;
  close(): Promise<void>;
}
