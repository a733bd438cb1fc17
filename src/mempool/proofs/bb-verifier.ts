import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Tx } from "../../protocol/tx/tx.ts";
import { verifyCommand } from "./bb-api.ts";
import type { BbBackend } from "./bb-backend.ts";
import { BbProgramError } from "./bb-program.ts";
import { type ChonkRules, proofFields, proofKey } from "./chonk-proof.ts";
import { ProofQueueFullError, type ProofVerifier } from "./proof-verifier.ts";

interface BbVerifierOptions {
  /** Whose proofs are verified. */
  rules: ChonkRules;
  /** Verifications at once. */
  parallel: number;
  /** Most txs that wait for a verification. */
  maxWaiting?: number;
  /** Keeps each proof and its key in a folder of its own in this one, in the form that `bb verify` reads. */
  keepFilesIn?: string;
}

/** Verifies proofs with the network's bb, a bounded number at once. */
export class BbVerifier implements ProofVerifier {
  readonly #backend: BbBackend;
  readonly #options: Required<Omit<BbVerifierOptions, "keepFilesIn">> & Pick<BbVerifierOptions, "keepFilesIn">;
  #running = 0;
  #closed = false;
  readonly #waiting: (() => void)[] = [];
  readonly #settled = new Set<Promise<unknown>>();

  constructor(backend: BbBackend, options: BbVerifierOptions) {
    this.#backend = backend;
    this.#options = { maxWaiting: 64, ...options };
  }

  /** True once it was told to close: what fails from then on is no failure of bb. */
  get closed(): boolean {
    return this.#closed;
  }

  get fault(): string | undefined {
    return this.#backend.fault?.message;
  }

  /** Rejects with a ProofQueueFullError, or a BbProgramError when bb failed to give a verdict. */
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
    const { rules, parallel, maxWaiting, keepFilesIn } = this.#options;
    if (this.#running >= parallel) {
      if (this.#waiting.length >= maxWaiting) throw new ProofQueueFullError(this.#waiting.length);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running++;
    try {
      if (keepFilesIn !== undefined) await keepFiles(keepFilesIn, rules, tx);
      return await this.#backend.verify(verifyCommand(rules, tx));
    } finally {
      const next = this.#waiting.shift();
      // The place passes directly to the next verification.
      if (next === undefined) this.#running--;
      else next();
    }
  }

  /** Resolves once all running and waiting verifications are done. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([...this.#settled]);
    await this.#backend.close();
  }
}

/** Rejects with a BbProgramError. */
async function keepFiles(folder: string, rules: ChonkRules, tx: Pick<Tx, "data" | "chonkProof">): Promise<void> {
  const key = proofKey(rules, tx.data);
  try {
    const own = await mkdtemp(join(folder, "svc-proof-"));
    await Promise.all([writeFile(join(own, "proof"), proofFields(tx)), writeFile(join(own, "vk"), key)]);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new BbProgramError(undefined, `BB_SKIP_CLEANUP keeps proofs in ${folder}, which cannot be written (${code})`);
  }
}

/** Folder for kept files when none is configured. */
export const DEFAULT_KEPT_FILES: string = tmpdir();
