import type { Values } from "../config/options.ts";
import { findBbProgram } from "../mempool/proofs/bb-program.ts";
import { BbVerifier } from "../mempool/proofs/bb-verifier.ts";
import { ACCEPT_ANY_PROOF, missingVerifier, type ProofVerifier } from "../mempool/proofs/proof-verifier.ts";
import type { Logger } from "../telemetry/logger.ts";

export type ProofSettings = Pick<
  Values,
  | "realProofs"
  | "debugForceTxProofVerification"
  | "bbBinaryPath"
  | "bbWorkingDirectory"
  | "bbSkipCleanup"
  | "numConcurrentIVCVerifiers"
  | "bbIVCConcurrency"
>;

/** Chooses and logs the proof verifier: bb, accept-all (networks without proofs), or refuse-all (no bb found). */
export async function configuredVerifier(values: ProofSettings, logger: Logger): Promise<ProofVerifier> {
  if (!values.realProofs && !values.debugForceTxProofVerification) {
    logger.warn({}, "PROOFS OF TRANSACTIONS ARE NOT CHECKED: the network is configured to run without proofs");
    return ACCEPT_ANY_PROOF;
  }
  try {
    const { path, version } = await findBbProgram(values.bbBinaryPath);
    const { numConcurrentIVCVerifiers: parallel, bbIVCConcurrency: threads } = values;
    logger.info({ path, version, parallel, threads }, "checking proofs of transactions with bb {version}");
    const { bbWorkingDirectory: workingDirectory, bbSkipCleanup: keepFiles } = values;
    return new BbVerifier({ program: path, parallel, threads, workingDirectory, keepFiles });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    logger.warn({ reason }, "transactions are refused: this node has no proof verifier");
    return missingVerifier(reason);
  }
}
