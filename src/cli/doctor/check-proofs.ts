import type { PartValues } from "../../config/part-values.ts";
import { BbProgramError, findBbProgram, packagedModule } from "../../mempool/proofs/bb-program.ts";
import type { ProofProgram } from "../../protocol/generations/transactions.ts";
import { type Finding, fail, ok, skip, warn } from "./finding.ts";

const CHECK = "proofs";

/**
 * What would check the proofs of transactions. `wanted`: by the rollup's generation; undefined where that is unknown.
 */
export async function checkProofs(
  { real, verifier, bbBinaryPath }: PartValues["proofs"],
  wanted: ProofProgram | undefined,
): Promise<Finding> {
  if (!real && !verifier.forced) return skip(CHECK, "the network is configured to run without proofs");
  if (wanted === undefined) return skip(CHECK, "not tried: which program is needed depends on the rollup");
  try {
    const { path, version } = await findBbProgram(bbBinaryPath, wanted);
    return ok(CHECK, `bb ${version} runs: ${path}`);
  } catch (error) {
    if (!(error instanceof BbProgramError)) throw error;
    const module = bbBinaryPath === undefined ? await packagedModule(wanted) : undefined;
    const why = error.message.replace(/\s*\n\s*/g, "; ");
    if (module !== undefined) {
      return warn(
        CHECK,
        `bb ${module.version} would run in WebAssembly, which is slower: ${why}`,
        `the published program runs on a system with ${wanted.systems}`,
      );
    }
    const remedy =
      bbBinaryPath === undefined
        ? "install the optional dependencies (npm ci without --omit=optional), or name a program by BB_BINARY_PATH"
        : `correct BB_BINARY_PATH, or leave it unset: the package ${wanted.package} has the program`;
    return fail(CHECK, `transactions would be refused: ${why}`, remedy);
  }
}
