import { moduleBeside } from "../../threads/module-beside.ts";
import { type WorkerPool, workerPool } from "../../threads/worker-pool.ts";
import type { BbBackend } from "./bb-backend.ts";
import { BbProgramError, noVerdict } from "./bb-program.ts";
import type { BbTask, BbThreadData } from "./bb-wasm-worker.ts";
import { Preparation } from "./preparation.ts";
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
  readonly #strings: Preparation<ReferenceStrings>;
  readonly ready: Promise<unknown>;

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
    this.#strings = new Preparation(() => this.#makeStrings(grumpkin));
    this.ready = this.#strings.get();
  }

  get fault(): Error | undefined {
    return this.#strings.fault;
  }

  async verify(command: Uint8Array): Promise<boolean> {
    const strings = await this.#strings.get();
    try {
      const signal = AbortSignal.timeout(this.#limitMs);
      return (await this.#pool.run({ kind: "verify", command, strings }, { signal })) === true;
    } catch (error) {
      throw noVerdict(this.#module, error);
    }
  }

  async #makeStrings(given: Uint8Array | PointRule): Promise<ReferenceStrings> {
    const grumpkin = given instanceof Uint8Array ? given : await this.#derivedPoints(given);
    if (!(grumpkin instanceof Uint8Array)) throw new BbProgramError(this.#module, "derived no points");
    return { g1: BN254_GENERATOR, g2: IGNITION_G2, grumpkin };
  }

  async #derivedPoints(rule: PointRule): Promise<boolean | Uint8Array> {
    try {
      return await this.#pool.run({ kind: "points", rule });
    } catch (error) {
      throw noVerdict(this.#module, error);
    }
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}
