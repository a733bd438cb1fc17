import { setTimeout as sleep } from "node:timers/promises";
import { BusyError } from "../../errors/busy-error.ts";
import type { Tx } from "../../protocol/tx/tx.ts";

/** Verifies the proofs of txs. */
export interface ProofVerifier {
  /** True if proofs cannot be verified, so that every tx with a proof is refused. */
  readonly missing?: boolean;
  /** Why no proof could be verified when that was tried last; undefined: it was not tried, or it could. */
  readonly fault?: string;
  /** True if every proof is accepted without a look at it. */
  readonly simulated?: boolean;
  /**
   * Rejects with a ProofQueueFullError when too many txs wait already, and with a ProofVerifierMissingError when proofs
   * cannot be verified.
   */
  verify(tx: Pick<Tx, "data" | "chonkProof">): Promise<boolean>;
  close(): Promise<void>;
}

/** For networks with simulated proofs: accepts every proof. */
export const ACCEPT_ANY_PROOF: ProofVerifier = { simulated: true, verify: async () => true, close: async () => {} };

/** The same, after a while. */
export function acceptAfter(delayMs: number): ProofVerifier {
  if (delayMs === 0) return ACCEPT_ANY_PROOF;
  return {
    ...ACCEPT_ANY_PROOF,
    async verify() {
      await sleep(delayMs);
      return true;
    },
  };
}

/** The proof program is missing, so this node accepts no txs. */
export class ProofVerifierMissingError extends Error {
  constructor(reason: string) {
    super(`this node cannot check proofs of transactions: ${reason}`);
    this.name = "ProofVerifierMissingError";
  }
}

/** Too many txs wait for proof verification. */
export class ProofQueueFullError extends BusyError {
  override readonly errorCode: string = "proof-queue-full";

  constructor(waiting: number) {
    super(`${waiting} proofs of transactions are waiting to be checked already`, waiting);
    this.name = "ProofQueueFullError";
  }
}

/** Refuses all proofs: used where proofs must be verified but cannot be. */
export function missingVerifier(reason: string): ProofVerifier {
  return { missing: true, verify: () => Promise.reject(new ProofVerifierMissingError(reason)), close: async () => {} };
}
