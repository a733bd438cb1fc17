import { existsSync } from "node:fs";
import { availableParallelism, homedir, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { ConfigurationError } from "../../config/errors.ts";
import type { PartValues } from "../../config/part-values.ts";
import { loadCore } from "../../core/load-core.ts";
import { BbProgramError, findBbProgram } from "../../mempool/proofs/bb-program.ts";
import type { NodeLogger } from "../../process/logging/logging.ts";
import type { Teardown } from "../../process/teardown.ts";
import type { Generation } from "../../protocol/generations/generation.ts";
import { verificationKeyOf } from "../../prover/circuits/verification-keys.ts";
import type { BinaryJobType } from "../../prover/jobs/job-input.ts";
import type { JobType } from "../../prover/jobs/job-type.ts";
import { AcvmModule, packagedAcvm } from "../../prover/real/acvm-module.ts";
import { AcvmProgram } from "../../prover/real/acvm-program.ts";
import { BbCommands } from "../../prover/real/bb-commands.ts";
import { JobFolders } from "../../prover/real/job-folders.ts";
import { provableTypes } from "../../prover/real/provable-types.ts";
import { circuitFile } from "../../prover/real/published-circuit.ts";
import { RealProver } from "../../prover/real/real-prover.ts";
import { checkedPoints, ReferenceStringError } from "../../prover/real/reference-string.ts";
import type { WitnessSolver } from "../../prover/real/witness-solver.ts";

interface Surroundings {
  readonly log: NodeLogger;
  readonly teardown: Teardown;
  /** Whose circuits are proven. */
  readonly generation: Generation;
  /** Checks the reference string of a folder and counts its points. */
  readonly pointsIn?: (folder: string) => Promise<number>;
}

/** Part of the machine's memory that proofs may take if the operator names none. */
const MEMORY_SHARE = 0.75;

/**
 * The prover that the agents of this process share, and the types of `wanted` that each of them can prove with its
 * share of memory and processors. Rejects with a ConfigurationError.
 */
export async function startRealProver(
  values: PartValues,
  wanted: readonly JobType[],
  { generation, log, teardown, pointsIn = checkedPoints }: Surroundings,
): Promise<{ prover: RealProver; types: JobType[] }> {
  const { count: agents } = values.agents;
  const { jobLimitMs: limitMs } = values.broker.jobs;
  const circuits = circuitsOf(values.agents);
  const keyOf = (type: BinaryJobType) => verificationKeyOf(generation, type).key;
  const crs = values.agents.crsPath ?? join(homedir(), ".bb-crs");
  const [program, points] = await Promise.all([proofProgram(values.proofs, generation), pointsOf(crs, pointsIn)]);
  const memoryBytes = memoryOf(values.agents) / Math.max(1, agents);
  const { types, left } = provableTypes(
    wanted,
    { memoryBytes, points, hasCircuit: (type) => existsSync(circuitFile(circuits, type)) },
    keyOf,
  );
  const reasons = left.map(({ name, reason }) => `${name}: ${reason}`);
  if (types.length === 0) throw new ConfigurationError(`no job type can be proven here: ${reasons.join("; ")}`);
  if (left.length > 0) log.warn({ left: reasons }, "job types are left to other agents: {left}");
  const threads = values.agents.threads ?? Math.max(1, Math.floor(availableParallelism() / Math.max(1, agents)));
  const verifyThreads = values.agents.verifyThreads ?? threads;
  const folders = new JobFolders({
    parent: values.proofs.bbWorkingDirectory ?? tmpdir(),
    solverParent: values.agents.acvmWorkingDirectory,
    keep: values.proofs.bbSkipCleanup,
  });
  await folders.prepare();
  const solver = solverOf(values, threads);
  teardown.add("witness solver", () => solver.close());
  log.info(
    { bb: program, threads, memory: Math.floor(memoryBytes / 2 ** 20), types: types.length },
    "proving jobs of {types} types with {bb}: {threads} threads and {memory} MiB for each agent",
  );
  const bb = new BbCommands({ program, crs, threads, verifyThreads, limitMs });
  return {
    prover: new RealProver({ context: { core: loadCore(), generation }, bb, solver, circuits, folders, keyOf }),
    types,
  };
}

/** The folder of the published circuits. Throws a ConfigurationError where it is missing. */
export function circuitsOf({ circuitsPath: path }: PartValues["agents"]): string {
  if (path !== undefined && existsSync(path)) return path;
  const fault = path === undefined ? "is not set" : `names ${path}, which is not there`;
  throw new ConfigurationError(
    `real proofs need the published circuits: SVC_PROVER_CIRCUITS_PATH ${fault} (docs/proving.md#real-proofs); or give PROVER_REAL_PROOFS=false`,
  );
}

async function proofProgram(
  { bbBinaryPath }: PartValues["proofs"],
  { transactions }: Pick<Generation, "transactions">,
): Promise<string> {
  try {
    return (await findBbProgram(bbBinaryPath, transactions.proofProgram)).path;
  } catch (error) {
    if (!(error instanceof BbProgramError)) throw error;
    const reason = error.message.replace(/\s*\n\s*/g, "; ");
    throw new ConfigurationError(`real proofs need the proof program (BB_BINARY_PATH): ${reason}`, { cause: error });
  }
}

async function pointsOf(crs: string, pointsIn: (folder: string) => Promise<number>): Promise<number> {
  try {
    return await pointsIn(crs);
  } catch (error) {
    if (!(error instanceof ReferenceStringError)) throw error;
    throw new ConfigurationError(`real proofs need the reference string (CRS_PATH): ${error.message}`, {
      cause: error,
    });
  }
}

/** Bytes for the proofs of all agents: of the machine, or of the container. */
function memoryOf({ memoryMb }: PartValues["agents"]): number {
  if (memoryMb !== undefined) return memoryMb * 2 ** 20;
  const container = process.constrainedMemory();
  return MEMORY_SHARE * (container > 0 ? Math.min(container, totalmem()) : totalmem());
}

function solverOf(values: PartValues, threads: number): WitnessSolver {
  const { acvmBinaryPath: program, count: agents } = values.agents;
  const { jobLimitMs: limitMs } = values.broker.jobs;
  if (program !== undefined) {
    if (!existsSync(program)) throw new ConfigurationError(`ACVM_BINARY_PATH names ${program}, which is not there`);
    return new AcvmProgram({ program, threads, limitMs });
  }
  const module = packagedAcvm();
  if (module !== undefined) return new AcvmModule(module, agents);
  throw new ConfigurationError(
    "real proofs need a witness solver: neither ACVM_BINARY_PATH is set nor the package @aztec/noir-acvm_js installed",
  );
}
