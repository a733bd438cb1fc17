import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { moduleBeside } from "../../threads/module-beside.ts";
import { type WorkerPool, workerPool } from "../../threads/worker-pool.ts";
import { ProvingError } from "../agent/prover.ts";
import { ConstraintError } from "../circuits/layouts/constraint-error.ts";
import type { WitnessSolver, WitnessTask } from "./witness-solver.ts";
import type { WitnessAnswer } from "./witness-worker.ts";

/** npm package with the ACVM in WebAssembly, an optional dependency. */
const PACKAGE = "@aztec/noir-acvm_js";

/** Undefined without the package. */
export function packagedAcvm(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(PACKAGE);
  } catch {
    return undefined;
  }
}

/** Solves with the ACVM in WebAssembly, each witness in a thread that ends with it and gives its memory back. */
export class AcvmModule implements WitnessSolver {
  readonly #threads: WorkerPool<WitnessTask, WitnessAnswer>;

  /** `module` is the path of the package's module. */
  constructor(module: string, threads: number) {
    this.#threads = workerPool({
      ...{ module: moduleBeside(import.meta.url, "witness-worker"), threads, idleMs: 0, workerData: module },
    });
  }

  async solve(
    { bytecode, inputs }: WitnessTask,
    folder: string,
    signal: AbortSignal,
  ): Promise<{ witness: string; returned: Uint8Array }> {
    let answer: WitnessAnswer;
    try {
      answer = await this.#threads.run({ bytecode, inputs }, { signal });
    } catch (error) {
      signal.throwIfAborted();
      throw new ProvingError(`the witness could not be solved: ${(error as Error).message}`, true, { cause: error });
    }
    if (answer.kind === "refused") throw new ConstraintError("input", `breaks a constraint: ${answer.message}`);
    const witness = join(folder, "witness.gz");
    await writeFile(witness, answer.witness);
    return { witness, returned: answer.returned };
  }

  async close(): Promise<void> {
    await this.#threads.destroy();
  }
}
