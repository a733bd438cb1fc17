import { assertStringsTaken, rootOf, squareRootCommand, stringCommands, verdictOf } from "./bb-api.ts";
import type { BbBackend } from "./bb-backend.ts";
import { BbProcess, type BbProcessOptions } from "./bb-process.ts";
import { PointFolder } from "./point-folder.ts";
import {
  BN254_GENERATOR,
  grumpkinPoints,
  IGNITION_G2,
  type PointRule,
  type ReferenceStrings,
} from "./reference-strings.ts";

export interface BbProcessesOptions extends Omit<BbProcessOptions, "points"> {
  /** Most milliseconds of a verification. */
  limitMs: number;
  /** Points of Grumpkin, or how they are derived. */
  grumpkin: Uint8Array | PointRule;
}

/**
 * Warm processes of bb. A verification takes an idle one, or starts one: there are as many as were ever needed at once.
 * A process that ends or takes too long is replaced by the next verification.
 */
export class BbProcesses implements BbBackend {
  readonly #options: BbProcessesOptions;
  readonly #idle: BbProcess[] = [];
  readonly #all = new Set<BbProcess>();
  readonly #points = new PointFolder();
  readonly ready: Promise<ReferenceStrings>;

  constructor(options: BbProcessesOptions) {
    this.#options = options;
    this.ready = this.#makeStrings();
    // Awaited by each verification; this keeps an early rejection from being unhandled.
    this.ready.catch(() => {});
  }

  async verify(command: Uint8Array): Promise<boolean> {
    const { limitMs } = this.#options;
    const bb = await this.#take();
    const limit = setTimeout(() => bb.kill(`gave no verdict within ${limitMs} ms`), limitMs);
    try {
      return verdictOf(await bb.call(command));
    } finally {
      clearTimeout(limit);
      this.#give(bb);
    }
  }

  async #makeStrings(): Promise<ReferenceStrings> {
    const bb = this.#start();
    const squareRoots = async (values: readonly Uint8Array[]) => {
      const answers = await Promise.all(values.map((value) => bb.call(squareRootCommand(value))));
      return answers.map(rootOf);
    };
    const given = this.#options.grumpkin;
    const grumpkin = given instanceof Uint8Array ? given : await grumpkinPoints(squareRoots, given);
    const strings = { g1: BN254_GENERATOR, g2: IGNITION_G2, grumpkin };
    await giveStrings(bb, strings);
    this.#give(bb);
    return strings;
  }

  async #take(): Promise<BbProcess> {
    const strings = await this.ready;
    for (let bb = this.#idle.pop(); bb !== undefined; bb = this.#idle.pop()) if (bb.running) return bb;
    const bb = this.#start();
    await giveStrings(bb, strings);
    return bb;
  }

  #start(): BbProcess {
    this.#points.write();
    const bb = new BbProcess({ ...this.#options, points: this.#points.path });
    this.#all.add(bb);
    return bb;
  }

  #give(bb: BbProcess): void {
    if (bb.running) this.#idle.push(bb);
    else this.#all.delete(bb);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((bb) => bb.close()));
    this.#points.remove();
  }
}

async function giveStrings(bb: BbProcess, strings: ReferenceStrings): Promise<void> {
  for (const command of stringCommands(strings)) assertStringsTaken(await bb.call(command));
}
