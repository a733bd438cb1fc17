import { HEALTHY, type HealthProbe } from "../../telemetry/health.ts";
import type { Logger } from "../../telemetry/logger.ts";

/**
 * Whether a broker can be used, as those who call it report. An outage is logged when the first caller fails and when
 * the last one that failed succeeds or gives up: hundreds of jobs may wait for the same broker.
 */
export class BrokerOutages {
  readonly health: HealthProbe = {
    name: "prover-broker",
    read: () =>
      this.usable ? HEALTHY : { state: "failed", reason: `the proving broker cannot be used: ${this.#reason}` },
  };
  readonly #logger: Pick<Logger, "info" | "warn">;
  /** Reasons of callers whose latest call failed, by caller, latest last. */
  readonly #failing = new Map<object, string>();

  constructor(logger: Pick<Logger, "info" | "warn">) {
    this.#logger = logger;
  }

  get usable(): boolean {
    return this.#failing.size === 0;
  }

  get #reason(): string | undefined {
    return [...this.#failing.values()].at(-1);
  }

  failed(caller: object, reason: string): void {
    if (this.usable) this.#logger.warn({ reason }, "the proving broker cannot be used: {reason}");
    this.#failing.delete(caller);
    this.#failing.set(caller, reason);
  }

  /** The caller has an answer, or needs none any more. */
  ended(caller: object): void {
    if (this.#failing.delete(caller) && this.usable) this.#logger.info({}, "the proving broker can be used again");
  }
}
