import type { Logger } from "../telemetry/logger.ts";

/** One of the services that run together. */
export interface Stage {
  name: string;
  start(): void | Promise<void>;
  /** Also called when `start` failed. */
  stop(): void | Promise<void>;
}

/** Starts stages in order and stops them in reverse order. Each runs once. */
export class Stages {
  readonly #stages: readonly Stage[];
  readonly #logger: Logger;
  /** Those whose start was begun. */
  readonly #begun: Stage[] = [];
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(stages: readonly Stage[], logger: Logger) {
    this.#stages = stages;
    this.#logger = logger;
  }

  /** Rejects with the error of the stage that fails, once the others are stopped. Ends early when `stop` is called. */
  async start(): Promise<void> {
    this.#starting ??= this.#start();
    try {
      await this.#starting;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Waits for the stage that is starting. If one stop fails, the others still run. Later calls wait for the first. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #start(): Promise<void> {
    for (const stage of this.#stages) {
      if (this.#stopping !== undefined) return;
      this.#begun.push(stage);
      await stage.start();
    }
  }

  async #stop(): Promise<void> {
    await this.#starting?.catch(() => undefined);
    for (const { name, stop } of this.#begun.toReversed()) {
      try {
        await stop();
      } catch (error) {
        this.#logger.error({ stage: name, err: error }, "stopping {stage} failed");
      }
    }
  }
}
