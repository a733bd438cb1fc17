import type { DevelopmentL1 } from "../local-network/development-l1.ts";
import type { NodeLogger } from "../process/logging/logging.ts";

interface L1Times {
  /** Seconds: a block has this time plus a multiple of `interval`. */
  genesis: number;
  /** Seconds between blocks. */
  interval: number;
}

/**
 * Mines an L1 block at the start of each L1 slot of the machine's clock, with exactly that timestamp: slots of the
 * rollup begin with an L1 block, as on public networks. A slot that this process was too busy for stays empty.
 */
export class L1Clock {
  readonly #l1: DevelopmentL1;
  readonly #times: L1Times;
  readonly #log: NodeLogger;
  #timer: NodeJS.Timeout | undefined;
  #mining: Promise<void> = Promise.resolve();
  #last = 0;
  #running = false;

  constructor(l1: DevelopmentL1, times: L1Times, log: NodeLogger) {
    this.#l1 = l1;
    this.#times = times;
    this.#log = log;
  }

  /** Resolves once L1 has the time of the machine. Throws an L1Error. */
  async start(): Promise<void> {
    await this.#l1.setMining(false);
    const { timestamp } = await this.#l1.latest();
    this.#last = timestamp;
    await this.#mine(this.#slotStart());
    this.#running = true;
    this.#schedule();
  }

  async stop(): Promise<void> {
    this.#running = false;
    clearTimeout(this.#timer);
    await this.#mining;
  }

  /** Start of the L1 slot of now, in seconds. */
  #slotStart(): number {
    const { genesis, interval } = this.#times;
    return genesis + Math.floor((Date.now() / 1000 - genesis) / interval) * interval;
  }

  async #mine(timestamp: number): Promise<void> {
    if (timestamp <= this.#last) return;
    await this.#l1.mineAt(timestamp);
    this.#last = timestamp;
  }

  #schedule(): void {
    if (!this.#running) return;
    const next = Math.max(this.#slotStart(), this.#last) + this.#times.interval;
    this.#timer = setTimeout(
      () => {
        this.#mining = this.#mine(this.#slotStart())
          .catch((error: unknown) => {
            if (this.#running) this.#log.warn({ err: error }, "L1 mined no block in this slot");
          })
          .finally(() => this.#schedule());
      },
      Math.max(0, next * 1000 - Date.now()),
    );
  }
}
