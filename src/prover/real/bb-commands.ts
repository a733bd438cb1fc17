import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ProvingError } from "../agent/prover.ts";
import type { BinaryJobType } from "../jobs/job-input.ts";
import { runProgram } from "./run-program.ts";

/** Files of a job in its working folder; the proof program writes the last two. */
export const JOB_FILES = {
  bytecode: "bytecode",
  key: "vk",
  proof: "proof",
  publicInputs: "public_inputs",
} as const;

interface BbSettings {
  readonly program: string;
  /** Folder of the reference strings. */
  readonly crs: string;
  readonly threads: number;
  readonly verifyThreads: number;
  /** Of one command. */
  readonly limitMs: number;
}

/** What bb is told about a circuit: the hash of the transcript, and whether claims about inner products are joined. */
interface Flavor {
  readonly oracleHash: "poseidon2" | "keccak";
  readonly joinsClaims: boolean;
}

function flavorOf(type: BinaryJobType): Flavor {
  if (type === "ROOT_ROLLUP") return { oracleHash: "keccak", joinsClaims: false };
  const isParity = type === "PARITY_BASE" || type === "PARITY_ROOT";
  return { oracleHash: "poseidon2", joinsClaims: !isParity };
}

function flagsOf(type: BinaryJobType, crs: string): string[] {
  const { oracleHash, joinsClaims } = flavorOf(type);
  return [
    ...["--scheme", "ultra_honk", "--oracle_hash", oracleHash],
    ...(joinsClaims ? ["--ipa_accumulation"] : []),
    ...["--disable_zk", "--crs_path", crs],
  ];
}

/** The network's proof program, run as a command for each proof and each verification. */
export class BbCommands {
  readonly #settings: BbSettings;

  constructor(settings: BbSettings) {
    this.#settings = settings;
  }

  /** Proves the circuit in `folder` for a witness. Rejects with a ProvingError. */
  async prove(
    type: BinaryJobType,
    folder: string,
    witness: string,
    signal: AbortSignal,
  ): Promise<{ proof: Uint8Array; publicInputs: Uint8Array }> {
    const { program, crs, threads, limitMs } = this.#settings;
    const { bytecode, key, proof, publicInputs } = JOB_FILES;
    const args = ["prove", ...flagsOf(type, crs), "-o", folder, "-b", bytecode, "-k", key, "-w", witness];
    await runProgram({ program, args, folder, threads, limitMs, signal });
    return { proof: await written(folder, proof), publicInputs: await written(folder, publicInputs) };
  }

  /** Verifies the proof in `folder`. Rejects with a ProvingError unless it is valid. */
  async verify(type: BinaryJobType, folder: string, signal: AbortSignal): Promise<void> {
    const { program, crs, verifyThreads, limitMs } = this.#settings;
    const { key, proof, publicInputs } = JOB_FILES;
    const args = ["verify", ...flagsOf(type, crs), "-p", proof, "-k", key, "-i", publicInputs];
    try {
      await runProgram({ program, args, folder, threads: verifyThreads, limitMs, signal });
    } catch (error) {
      if (!(error instanceof ProvingError)) throw error;
      throw new ProvingError(`the proof is not valid: ${error.message}`, true);
    }
  }
}

async function written(folder: string, file: string): Promise<Uint8Array> {
  try {
    return await readFile(join(folder, file));
  } catch (error) {
    throw new ProvingError(`the proof program wrote no ${file}: ${(error as Error).message}`, true);
  }
}
