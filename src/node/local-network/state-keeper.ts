import type { NodeLogger } from "../logging.ts";
import type { DevelopmentL1 } from "./development-l1.ts";

/** Shortest pause between two copies; writing one may take a twentieth of the time. Milliseconds. */
const LEAST_PAUSE_MS = 30_000;
const SHARE = 20;

/**
 * Keeps a copy of L1 on disk from time to time, for the case that L1 itself is killed or the machine stops: otherwise it writes its state
 * when it ends. A copy is behind the node's own store, which then goes back to what L1 has.
 */
export class StateKeeper {
  readonly #l1: Pick<DevelopmentL1, "keep" | "height">;
  readonly #file: string;
  readonly #log: NodeLogger;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #underWay = false;
  /** Another copy is wanted right after the one under way. */
  #soon = false;
  #stopped = false;
  #height = -1;

  constructor(l1: Pick<DevelopmentL1, "keep" | "height">, file: string, log: NodeLogger) {
    this.#l1 = l1;
    this.#file = file;
    this.#log = log;
  }

  start(): void {
    this.#schedule(LEAST_PAUSE_MS);
  }

  /** Writes a copy without waiting for its time, after the one that may be under way. */
  writeNow(): void {
    this.#soon = this.#underWay;
    if (!this.#underWay) this.#schedule(0);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#writing;
  }

  #schedule(pauseMs: number): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#underWay = true;
      this.#writing = this.#write().then((tookMs) => {
        this.#underWay = false;
        this.#schedule(this.#soon ? 0 : Math.max(LEAST_PAUSE_MS, SHARE * tookMs));
        this.#soon = false;
      });
    }, pauseMs);
    this.#timer.unref();
  }

  /** Milliseconds that it took. */
  async #write(): Promise<number> {
    const began = performance.now();
    try {
      const height = await this.#l1.height();
      if (height !== this.#height) await this.#l1.keep(this.#file);
      this.#height = height;
      this.#log.debug({ height }, "L1's state is kept");
    } catch (error) {
      if (!this.#stopped) this.#log.warn({ error }, "L1's state could not be kept: trying again");
    }
    return performance.now() - began;
  }
}
