import { setTimeout as sleep } from "node:timers/promises";
import { HttpError } from "../../http/errors.ts";
import { wholeExchange } from "../../http/exchange.ts";
import { HEALTHY, type HealthProbe } from "../../telemetry/health.ts";
import type { Logger } from "../../telemetry/logger.ts";

export interface BrokerWatchOptions {
  readonly url: string;
  readonly logger: Pick<Logger, "info" | "warn">;
  /** Time between two requests; 10 s by default. */
  readonly intervalMs?: number;
}

const INTERVAL_MS = 10_000;
const ANSWER_MS = 10_000;
const MAX_STATUS_BYTES = 64 * 1024;

/**
 * Asks a broker for its `/status` all the time, also while no jobs are outstanding, and logs when it goes away and when
 * it is back. `/status` needs no API key, takes no notifications from the producer and logs nothing at the broker.
 */
export class BrokerWatch {
  readonly health: HealthProbe = {
    name: "prover-broker",
    read: () =>
      this.#reason === undefined
        ? HEALTHY
        : { state: "failed", reason: `the proving broker cannot be reached: ${this.#reason}` },
  };
  readonly #url: URL;
  readonly #logger: Pick<Logger, "info" | "warn">;
  readonly #intervalMs: number;
  readonly #stopping = new AbortController();
  /** Why the broker could not be reached at the latest request; undefined if it could. */
  #reason: string | undefined;

  constructor({ url, logger, intervalMs = INTERVAL_MS }: BrokerWatchOptions) {
    this.#url = new URL("/status", url);
    const { username, password } = new URL(url);
    Object.assign(this.#url, { username, password });
    this.#logger = logger;
    this.#intervalMs = intervalMs;
  }

  get reachable(): boolean {
    return this.#reason === undefined;
  }

  start(): void {
    void this.#run();
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const reason = await this.#failure();
      if (signal.aborted) return;
      if (reason !== undefined && this.#reason === undefined) {
        this.#logger.warn({ reason }, "the proving broker cannot be reached, jobs wait for it: {reason}");
      }
      if (reason === undefined && this.#reason !== undefined) {
        this.#logger.info({}, "the proving broker can be reached again");
      }
      this.#reason = reason;
      await sleep(this.#intervalMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Undefined if the broker answers. Statuses below 500 are answers too: a proxy may let only calls pass. */
  async #failure(): Promise<string | undefined> {
    try {
      const { status } = await wholeExchange(
        { url: this.#url, signal: this.#stopping.signal },
        { totalMs: ANSWER_MS, maxBytes: MAX_STATUS_BYTES },
      );
      return status < 500 ? undefined : `HTTP status ${status}`;
    } catch (error) {
      return error instanceof HttpError ? error.message : String(error);
    }
  }
}
