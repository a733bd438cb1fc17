import { assertStringsTaken, rootOf, squareRootCommand, stringCommands, verdictOf } from "./bb-api.ts";
import type { BbBackend } from "./bb-backend.ts";
import { BbProcess, type BbProcessOptions } from "./bb-process.ts";
import { noVerdict } from "./bb-program.ts";
import { PointFolder } from "./point-folder.ts";
import { Preparation } from "./preparation.ts";
import {
  BN254_GENERATOR,
  grumpkinPoints,
  IGNITION_G2,
  type PointRule,
  type ReferenceStrings,
} from "./reference-strings.ts";

export interface BbProcessesOptions extends BbProcessOptions {
  /** Most milliseconds of a verification. */
  limitMs: number;
  /** Points of Grumpkin, or how they are derived. */
  grumpkin: Uint8Array | PointRule;
}

/**
 * Warm processes of bb. A verification takes an idle one, or starts one: there are as many as were ever needed at once.
 * A process that ends, takes too long or gives no verdict is replaced by the next verification. The folder `points` is
 * made, and removed at the end.
 */
export class BbProcesses implements BbBackend {
  readonly #options: BbProcessesOptions;
  readonly #idle: BbProcess[] = [];
  readonly #all = new Set<BbProcess>();
  readonly #points: PointFolder | undefined;
  readonly #strings: Preparation<ReferenceStrings>;
  readonly ready: Promise<unknown>;

  constructor(options: BbProcessesOptions) {
    this.#options = options;
    this.#points = options.points === undefined ? undefined : new PointFolder(options.points);
    this.#strings = new Preparation(() => this.#makeStrings());
    this.ready = this.#strings.get();
  }

  get fault(): Error | undefined {
    return this.#strings.fault;
  }

  async verify(command: Uint8Array): Promise<boolean> {
    const { limitMs } = this.#options;
    const strings = await this.#strings.get();
    const warm = this.#takeIdle();
    return this.#with(warm ?? this.#start(), async (bb) => {
      const limit = setTimeout(() => bb.kill(`gave no verdict within ${limitMs} ms`), limitMs);
      try {
        if (warm === undefined) await giveStrings(bb, strings);
        // bb reads it with its first proof.
        this.#points?.write();
        return verdictOf(await bb.call(command));
      } finally {
        clearTimeout(limit);
      }
    });
  }

  async #makeStrings(): Promise<ReferenceStrings> {
    return this.#with(this.#start(), async (bb) => {
      const squareRoots = async (values: readonly Uint8Array[]) => {
        const answers = await Promise.all(values.map((value) => bb.call(squareRootCommand(value))));
        return answers.map(rootOf);
      };
      const given = this.#options.grumpkin;
      const grumpkin = given instanceof Uint8Array ? given : await grumpkinPoints(squareRoots, given);
      const strings = { g1: BN254_GENERATOR, g2: IGNITION_G2, grumpkin };
      await giveStrings(bb, strings);
      return strings;
    });
  }

  /** Keeps the process for the next use, unless the work with it fails. Rejects with a BbProgramError. */
  async #with<T>(bb: BbProcess, work: (bb: BbProcess) => Promise<T>): Promise<T> {
    try {
      return await work(bb);
    } catch (error) {
      bb.kill("gave no verdict");
      throw noVerdict(this.#options.program, error);
    } finally {
      this.#give(bb);
    }
  }

  #takeIdle(): BbProcess | undefined {
    for (let bb = this.#idle.pop(); bb !== undefined; bb = this.#idle.pop()) {
      if (bb.running) return bb;
      this.#all.delete(bb);
    }
    return undefined;
  }

  #start(): BbProcess {
    this.#points?.write();
    const bb = new BbProcess(this.#options);
    this.#all.add(bb);
    return bb;
  }

  #give(bb: BbProcess): void {
    if (bb.running) this.#idle.push(bb);
    else this.#all.delete(bb);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((bb) => bb.close()));
    this.#points?.remove();
  }
}

async function giveStrings(bb: BbProcess, strings: ReferenceStrings): Promise<void> {
  for (const command of stringCommands(strings)) assertStringsTaken(await bb.call(command));
}
