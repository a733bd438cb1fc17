import { BusyError } from "../../errors/busy-error.ts";
import type { Tx } from "../../protocol/tx/tx.ts";

/** Checks the proofs of txs. */
export interface ProofVerifier {
  /** True: it can check nothing, so that every tx with a proof to check is refused. */
  readonly missing?: boolean;
  /** Rejects with a ProofQueueFullError when too many wait already, and a ProofVerifierMissingError when nothing can check. */
  verify(tx: Pick<Tx, "data" | "chonkProof">): Promise<boolean>;
  close(): Promise<void>;
}

/** Of a network whose proofs are simulated: every proof holds. */
export const ACCEPT_ANY_PROOF: ProofVerifier = { verify: async () => true, close: async () => {} };

/** The program that checks proofs is not there, so this node takes no txs. */
export class ProofVerifierMissingError extends Error {
  constructor(reason: string) {
    super(`this node cannot check proofs of transactions: ${reason}`);
    this.name = "ProofVerifierMissingError";
  }
}

/** More txs wait for their proofs to be checked than are let. */
export class ProofQueueFullError extends BusyError {
  override readonly errorCode: string = "proof-queue-full";

  constructor(waiting: number) {
    super(`${waiting} proofs of transactions are waiting to be checked already`, waiting);
    this.name = "ProofQueueFullError";
  }
}

/** Stands in where proofs have to be checked and cannot. */
export function missingVerifier(reason: string): ProofVerifier {
  return { missing: true, verify: () => Promise.reject(new ProofVerifierMissingError(reason)), close: async () => {} };
}
