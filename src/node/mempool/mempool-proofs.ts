import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { PartValues } from "../../config/part-values.ts";
import type { BbBackend } from "../../mempool/proofs/bb-backend.ts";
import { BbProcesses } from "../../mempool/proofs/bb-processes.ts";
import { findBbProgram, packagedModule } from "../../mempool/proofs/bb-program.ts";
import { BbThreads } from "../../mempool/proofs/bb-threads.ts";
import { BbVerifier, DEFAULT_KEPT_FILES } from "../../mempool/proofs/bb-verifier.ts";
import { acceptAfter, missingVerifier, type ProofVerifier } from "../../mempool/proofs/proof-verifier.ts";
import type { Generation } from "../../protocol/generations/generation.ts";
import type { ProofProgram } from "../../protocol/generations/transactions.ts";
import { makeFolder } from "../../storage/make-folder.ts";
import type { Logger } from "../../telemetry/logger.ts";

/** Most milliseconds of a verification. */
const LIMIT_MS = 60_000;
/** In the data directory, while a program runs that reads a point from it. */
const POINTS_FOLDER = "bb-crs";

interface VerifierSurroundings {
  /** Absolute. */
  dataDirectory: string;
  logger: Logger;
}

/**
 * Chooses and logs the proof verifier: bb's program, its WebAssembly form where the packaged program does not run (the
 * system's glibc is too old), accept-all (networks without proofs), or refuse-all (neither is there).
 */
export async function configuredVerifier(
  values: PartValues["proofs"],
  rules: Pick<Generation, "transactions" | "circuits">,
  { dataDirectory, logger }: VerifierSurroundings,
): Promise<ProofVerifier> {
  if (!values.real && !values.verifier.forced) {
    logger.warn({}, "PROOFS OF TRANSACTIONS ARE NOT CHECKED: the network is configured to run without proofs");
    return acceptAfter(values.verifier.delayMs);
  }
  // More at once than there are processors would only make each slower.
  const parallel = Math.min(values.verifier.parallel, availableParallelism());
  try {
    const { proofProgram } = rules.transactions;
    const backend = await chooseBackend(values, proofProgram, { parallel, dataDirectory, logger });
    const keepFilesIn = values.bbSkipCleanup ? (values.bbWorkingDirectory ?? DEFAULT_KEPT_FILES) : undefined;
    const verifier = new BbVerifier(backend, { rules, parallel, keepFilesIn });
    backend.ready.catch((error) => {
      // A node that stops while bb is being prepared, for example because its start failed, does so for another reason.
      if (!verifier.closed) logger.error({ err: error }, "proofs of transactions cannot be checked");
    });
    return verifier;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    logger.warn({ reason }, "transactions are refused: this node has no proof verifier");
    return missingVerifier(reason);
  }
}

/** Rejects with a BbProgramError when neither form of bb runs. */
async function chooseBackend(
  values: PartValues["proofs"],
  wanted: ProofProgram,
  { parallel, dataDirectory, logger }: VerifierSurroundings & { parallel: number },
): Promise<BbBackend> {
  const { threads } = values.verifier;
  const { reducesCoordinates, readsPoint } = wanted;
  const { bbWorkingDirectory: cwd } = values;
  if (cwd !== undefined) makeFolder(cwd);
  try {
    const { path, version } = await findBbProgram(values.bbBinaryPath, wanted);
    logger.info({ path, version, parallel, threads }, "checking proofs of transactions with bb {version}");
    const points = readsPoint ? join(dataDirectory, POINTS_FOLDER) : undefined;
    const grumpkin = { reducesCoordinates };
    return new BbProcesses({ program: path, threads, points, cwd, limitMs: LIMIT_MS, grumpkin });
  } catch (error) {
    const module = values.bbBinaryPath === undefined ? await packagedModule(wanted) : undefined;
    if (module === undefined) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const { path, version } = module;
    logger.info(
      { path, version, parallel, reason },
      "checking proofs of transactions with bb {version} in WebAssembly",
    );
    return new BbThreads({ module: path, threads: parallel, limitMs: LIMIT_MS, grumpkin: { reducesCoordinates } });
  }
}
