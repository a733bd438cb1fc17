import { type NodeLogger, undoingStart } from "./logging/logging.ts";

/** Stops started services in reverse order. If one stop fails, the others still run. */
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

  /** Runs every step once. Later calls wait for the first call. */
  run(): Promise<void> {
    this.#done ??= this.#run();
    return this.#done;
  }

  /** The same after a failed start, whose own error is then the one that is logged. */
  undo(): Promise<void> {
    return undoingStart(this.#log, () => this.run());
  }

  async #run(): Promise<void> {
    for (const { name, stop } of this.#steps.reverse()) {
      try {
        await stop();
        this.#log.debug({ service: name }, "stopped");
      } catch (error) {
        this.#log.error({ service: name, err: error }, "stopping failed");
      }
    }
  }
}
