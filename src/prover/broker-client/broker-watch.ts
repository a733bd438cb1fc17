import { setTimeout as sleep } from "node:timers/promises";
import type { JobProducerApi } from "../jobs/proving-job.ts";
import type { BrokerOutages } from "./broker-outages.ts";

interface BrokerWatchOptions {
  /** Should not retry. */
  readonly broker: Pick<JobProducerApi, "getProvingJobStatus">;
  readonly outages: BrokerOutages;
  /** Time between two calls; 10 s by default. */
  readonly intervalMs?: number;
}

const INTERVAL_MS = 10_000;
/** No job has this id. */
const NO_JOB = "watch";

/**
 * Calls a broker all the time, also while no jobs are outstanding, so that an outage, a wrong API key or another
 * release
 * shows before an epoch ends. The status of an unknown job takes no notifications from the producer and logs nothing at
 * the broker.
 */
export class BrokerWatch {
  readonly #broker: Pick<JobProducerApi, "getProvingJobStatus">;
  readonly #outages: BrokerOutages;
  readonly #intervalMs: number;
  readonly #stopping = new AbortController();

  constructor({ broker, outages, intervalMs = INTERVAL_MS }: BrokerWatchOptions) {
    this.#broker = broker;
    this.#outages = outages;
    this.#intervalMs = intervalMs;
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
      await this.#call();
      await sleep(this.#intervalMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #call(): Promise<void> {
    try {
      await this.#broker.getProvingJobStatus(NO_JOB);
      this.#outages.ended(this);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      this.#outages.failed(this, error instanceof Error ? error.message : String(error));
    }
  }
}
