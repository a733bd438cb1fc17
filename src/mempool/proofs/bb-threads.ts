import { moduleBeside } from "../../threads/module-beside.ts";
import { type WorkerPool, workerPool } from "../../threads/worker-pool.ts";
import type { BbBackend } from "./bb-backend.ts";
import { BbProgramError } from "./bb-program.ts";
import type { BbTask, BbThreadData } from "./bb-wasm-worker.ts";
import { BN254_GENERATOR, IGNITION_G2, type PointRule, type ReferenceStrings } from "./reference-strings.ts";

/** Starting a thread takes half a second, so it is kept for so long without a proof. */
const IDLE_MS = 600_000;

interface BbThreadsOptions {
  /** Path of bb's module. */
  module: string;
  /** Most threads; each verifies one proof at a time. */
  threads: number;
  /** Most milliseconds of a verification. */
  limitMs: number;
  /** Points of Grumpkin, or how they are derived. */
  grumpkin: Uint8Array | PointRule;
}

/** Threads that run bb in WebAssembly. One that takes too long is ended, and started again when it is needed. */
export class BbThreads implements BbBackend {
  readonly #module: string;
  readonly #limitMs: number;
  readonly #pool: WorkerPool<BbTask, boolean | Uint8Array>;
  readonly ready: Promise<ReferenceStrings>;

  constructor({ module, threads, limitMs, grumpkin }: BbThreadsOptions) {
    this.#module = module;
    this.#limitMs = limitMs;
    const workerData: BbThreadData = { module };
    this.#pool = workerPool({
      module: moduleBeside(import.meta.url, "bb-wasm-worker"),
      threads,
      workerData,
      idleMs: IDLE_MS,
    });
    this.ready = this.#makeStrings(grumpkin);
    // Awaited by each verification; this keeps an early rejection from being unhandled.
    this.ready.catch(() => {});
  }

  async verify(command: Uint8Array): Promise<boolean> {
    const strings = await this.ready;
    try {
      const signal = AbortSignal.timeout(this.#limitMs);
      return (await this.#pool.run({ kind: "verify", command, strings }, { signal })) === true;
    } catch (error) {
      throw new BbProgramError(this.#module, `gave no verdict: ${error instanceof Error ? error.message : error}`);
    }
  }

  async #makeStrings(given: Uint8Array | PointRule): Promise<ReferenceStrings> {
    const grumpkin = given instanceof Uint8Array ? given : await this.#pool.run({ kind: "points", rule: given });
    if (!(grumpkin instanceof Uint8Array)) throw new BbProgramError(this.#module, "derived no points");
    return { g1: BN254_GENERATOR, g2: IGNITION_G2, grumpkin };
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}
