import type { NodeLogger } from "./logging.ts";

/** What has been started, to be stopped in the opposite order. One failing stop does not keep the others from running. */
export class Teardown {
  readonly #steps: { name: string; stop: () => Promise<void> | void }[] = [];
  readonly #log: NodeLogger;
  #done: Promise<void> | undefined;

  constructor(log: NodeLogger) {
    this.#log = log;
  }

  add(name: string, stop: () => Promise<void> | void): void {
    this.#steps.push({ name, stop });
  }

  /** Runs every step once; later calls wait for the first. */
  run(): Promise<void> {
    this.#done ??= this.#run();
    return this.#done;
  }

  async #run(): Promise<void> {
    for (const { name, stop } of this.#steps.reverse()) {
      try {
        await stop();
        this.#log.debug({ service: name }, "stopped");
      } catch (error) {
        this.#log.error({ service: name, error }, "stopping failed");
      }
    }
  }
}
