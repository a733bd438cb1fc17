import type { Logger } from "../telemetry/logger.ts";
import { errorFacts } from "./error-facts.ts";
import { InvalidCheckpointError } from "./errors.ts";
import { isPowerOfTwo } from "./retry.ts";

/** Logs failed iterations, and the first success after them. */
export class FailureLog {
  readonly #logger: Logger;
  readonly #source: string;
  #failures = 0;
  #lastFailure = "";

  /** `source`: what is followed, "L1" for example. */
  constructor(logger: Logger, source: string) {
    this.#logger = logger;
    this.#source = source;
  }

  /** Consecutive failures. */
  get failures(): number {
    return this.#failures;
  }

  succeeded(): void {
    if (this.#failures > 0) {
      this.#logger.info({ failures: this.#failures, was: this.#lastFailure }, `following ${this.#source} again`);
    }
    this.#failures = 0;
    this.#lastFailure = "";
  }

  /** A failure that repeats unchanged is logged the 1st, 2nd, 4th, 8th .. time. */
  failed(error: unknown): void {
    const facts = errorFacts(error);
    const failure = String(facts.rule);
    this.#failures++;
    const repeats = failure === this.#lastFailure && !isPowerOfTwo(this.#failures);
    this.#lastFailure = failure;
    const level = repeats ? "debug" : error instanceof InvalidCheckpointError || isFatal(error) ? "error" : "warn";
    const message =
      error instanceof InvalidCheckpointError
        ? "L1 holds a checkpoint that breaks the protocol: waiting for L1 to drop or replace it"
        : `following ${this.#source} failed: trying again`;
    this.#logger[level]({ attempt: this.#failures, ...facts }, message);
  }
}

/** L1 errors have a flag when asking again cannot help. The loop goes on even so: an endpoint may be exchanged. */
function isFatal(error: unknown): boolean {
  return error instanceof Error && "fatal" in error && error.fatal === true;
}
