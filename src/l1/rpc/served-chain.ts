import type { Logger } from "../../telemetry/logger.ts";
import { WrongChainError } from "../errors.ts";

interface ServedChainOptions {
  /** Redacted URL of the endpoint. */
  name: string;
  /** Asks the endpoint for its chain id. */
  ask(): Promise<number>;
  logger: Logger;
}

/** Which chain an endpoint serves: asked for until it is the right one, and looked at again by probes. */
export class ServedChain {
  readonly #options: ServedChainOptions;
  #id: number | undefined;
  #asking: Promise<number> | undefined;

  constructor(options: ServedChainOptions) {
    this.#options = options;
  }

  get isKnown(): boolean {
    return this.#id !== undefined;
  }

  /** Throws a WrongChainError if the endpoint serves another chain, or the error of the call that asks it. */
  async expect(expected: number): Promise<void> {
    if (this.#id === expected) return;
    this.#asking ??= this.#options.ask().finally(() => {
      this.#asking = undefined;
    });
    this.found(await this.#asking, expected);
  }

  /** The endpoint gave this chain id. Throws a WrongChainError, and logs the first of a row, if it is another one. */
  found(id: number, expected: number): void {
    const isNews = this.#id !== id;
    this.#id = id;
    if (id === expected) return;
    const { name, logger } = this.#options;
    if (isNews) {
      logger.error(
        { endpoint: name, served: id, configured: expected },
        "the L1 endpoint {endpoint} serves chain {served}, but chain {configured} is configured: it is not asked",
      );
    }
    throw new WrongChainError(expected, id, name);
  }
}
