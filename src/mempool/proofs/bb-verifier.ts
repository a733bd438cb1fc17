import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kernelOutputFields } from "../../core/derive/tx-hash.ts";
import { concat } from "../../protocol/bytes.ts";
import { isForPublic } from "../../protocol/tx/accumulated-data.ts";
import type { Tx } from "../../protocol/tx/tx.ts";
import { BbProgramError, runProgram } from "./bb-program.ts";
import keys from "./data/tx-proof-keys.json" with { type: "json" };
import { ProofQueueFullError, type ProofVerifier } from "./proof-verifier.ts";

export interface BbVerifierOptions {
  /** Path of the program, which is known to run. */
  program: string;
  /** Verifications at once, and threads for each. */
  parallel: number;
  threads: number;
  /** Most txs that wait for a verification. */
  mostWaiting?: number;
  /** Folder for temporary files; the system's by default. */
  workingDirectory?: string;
  /** Keeps the files of each verification, for debugging. */
  keepFiles?: boolean;
  /** Most milliseconds of a verification. */
  limitMs?: number;
}

const KEYS = {
  withPublicCalls: Buffer.from(keys.withPublicCalls.key, "base64"),
  privateOnly: Buffer.from(keys.privateOnly.key, "base64"),
};

/**
 * The proof file that the program reads: the kernel's output as public inputs, then the proof's fields without their
 * count (docs/protocol/07-transactions-and-fees.md#716-proofs).
 */
export function proofFile({ data, chonkProof }: Pick<Tx, "data" | "chonkProof">): Uint8Array {
  return concat(kernelOutputFields(data), chonkProof.subarray(4));
}

/** Verification key of the circuit that a tx's proof belongs to, 4,064 bytes. */
export function proofKey(data: Uint8Array): Uint8Array {
  return isForPublic(data) ? KEYS.withPublicCalls : KEYS.privateOnly;
}

/** Verifies proofs with the network's program; each verification has a folder of its own. */
export class BbVerifier implements ProofVerifier {
  readonly #options: Required<Omit<BbVerifierOptions, "workingDirectory">> &
    Pick<BbVerifierOptions, "workingDirectory">;
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  readonly #settled = new Set<Promise<unknown>>();

  constructor(options: BbVerifierOptions) {
    this.#options = { mostWaiting: 64, keepFiles: false, limitMs: 60_000, ...options };
  }

  /** Rejects with a ProofQueueFullError, or a BbProgramError when the program failed to give a verdict. */
  async verify(tx: Pick<Tx, "data" | "chonkProof">): Promise<boolean> {
    const run = this.#verifyInTurn(tx);
    this.#settled.add(run);
    try {
      return await run;
    } finally {
      this.#settled.delete(run);
    }
  }

  async #verifyInTurn(tx: Pick<Tx, "data" | "chonkProof">): Promise<boolean> {
    const { parallel, mostWaiting } = this.#options;
    if (this.#running >= parallel) {
      if (this.#waiting.length >= mostWaiting) throw new ProofQueueFullError(this.#waiting.length);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running++;
    try {
      return await this.#check(tx);
    } finally {
      const next = this.#waiting.shift();
      // The place passes directly to the next verification.
      if (next === undefined) this.#running--;
      else next();
    }
  }

  async #check(tx: Pick<Tx, "data" | "chonkProof">): Promise<boolean> {
    const { program, threads, workingDirectory = tmpdir(), keepFiles, limitMs } = this.#options;
    const folder = await mkdtemp(join(workingDirectory, "svc-proof-"));
    try {
      const [proof, key] = [join(folder, "proof"), join(folder, "vk")];
      await Promise.all([writeFile(proof, proofFile(tx)), writeFile(key, proofKey(tx.data))]);
      const args = ["verify", "--scheme", "chonk", "-p", proof, "-k", key];
      const { code, output } = await runProgram(program, args, { cwd: folder, limitMs, threads });
      if (code === undefined) throw new BbProgramError(program, `gave no verdict: ${output.slice(-200)}`);
      return code === 0;
    } finally {
      if (!keepFiles) await rm(folder, { recursive: true, force: true });
    }
  }

  /** Resolves once all running and waiting verifications are done. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#settled]);
  }
}
