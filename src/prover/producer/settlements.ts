import { setTimeout as sleep } from "node:timers/promises";
import type { BrokerOutages } from "../broker-client/broker-outages.ts";
import type { JobProducerApi } from "../jobs/proving-job.ts";

interface SettlementOptions {
  /** Least time between two polls that had no news. A broker that holds its answer back is asked again at once. */
  readonly pollIntervalMs: number;
  /** Time between polls that name all outstanding jobs, and between checks whether the broker still knows them. */
  readonly snapshotIntervalMs: number;
  /** Ends all polling. */
  readonly signal: AbortSignal;
  readonly outages: Pick<BrokerOutages, "failed" | "ended">;
}

/** Most ids of one call (docs/protocol/13-proving.md#133-broker). */
const MAX_IDS = 1000;

/** A job whose settlement somebody wants to know of. */
interface Watched {
  readonly epochNumber: number;
  /** Told of since the last call of `settled`. */
  told: boolean;
  /** Set while `settled` waits. */
  wake: (() => void) | undefined;
}

/** From before a job is enqueued until its output is fetched. */
interface SettlementWatch {
  /**
   * Resolves when the status of the job should be asked for: it is settled, or the broker may have lost it. Rejects
   * when `signal` is aborted.
   */
  settled(signal: AbortSignal): Promise<void>;
  end(): void;
}

type Polled = Pick<JobProducerApi, "getCompletedJobs" | "getProvingJobStatus">;

/**
 * Waits for jobs to be settled, with one poll for all of them. Notifications may be lost (another producer at the same
 * address takes them, the broker restarts), so from time to time a poll names the outstanding jobs.
 */
export class Settlements {
  readonly #broker: Polled;
  readonly #options: SettlementOptions;
  /** In order of arrival. */
  readonly #watched = new Map<string, Watched>();
  #polling = false;
  #snapshotAt = 0;
  #checkDue = false;
  /** Number of waiting jobs before the next snapshot's, if there are more jobs than one call may name. */
  #offset = 0;

  constructor(broker: Polled, options: SettlementOptions) {
    this.#broker = broker;
    this.#options = options;
  }

  watch(id: string, epochNumber: number): SettlementWatch {
    const watched: Watched = { epochNumber, told: false, wake: undefined };
    this.#watched.set(id, watched);
    void this.#poll();
    return {
      settled: async (signal) => {
        signal.throwIfAborted();
        if (!watched.told) {
          await new Promise<void>((resolve) => {
            watched.wake = resolve;
            signal.addEventListener("abort", () => resolve(), { once: true });
          });
        }
        watched.wake = undefined;
        watched.told = false;
        signal.throwIfAborted();
      },
      end: () => {
        this.#watched.delete(id);
      },
    };
  }

  async #poll(): Promise<void> {
    if (this.#polling) return;
    this.#polling = true;
    this.#snapshotAt = performance.now() + this.#options.snapshotIntervalMs;
    const { pollIntervalMs, signal, outages } = this.#options;
    let failing = false;
    while (this.#watched.size > 0 && !signal.aborted) {
      const nextPoll = performance.now() + pollIntervalMs;
      let news = false;
      try {
        news = await this.#ask();
        // A broker that was away may have come back empty.
        if (failing) this.#checkDue = true;
        failing = false;
        outages.ended(this);
      } catch (error) {
        if (!signal.aborted) outages.failed(this, error instanceof Error ? error.message : String(error));
        failing = true;
      }
      // At least one turn of the event loop: a broker in this process may answer without one.
      await this.#pause(news ? 0 : Math.max(0, nextPoll - performance.now()));
    }
    outages.ended(this);
    this.#polling = false;
  }

  /** One poll. True if it woke somebody. */
  async #ask(): Promise<boolean> {
    const snapshot = this.#checkDue || performance.now() >= this.#snapshotAt;
    const ids = snapshot ? this.#someIds() : [];
    let woken = 0;
    for (const id of await this.#broker.getCompletedJobs(ids)) {
      const watched = this.#watched.get(id);
      if (watched === undefined || watched.told) continue;
      tell(watched);
      woken++;
    }
    if (snapshot) {
      this.#snapshotAt = performance.now() + this.#options.snapshotIntervalMs;
      this.#checkDue = false;
      woken += await this.#wakeLost();
    }
    return woken > 0;
  }

  /** Jobs that somebody waits for. Those that are about to be enqueued or fetched are none. */
  #waiting(): [string, Watched][] {
    return [...this.#watched].filter(([, { wake, told }]) => wake !== undefined && !told);
  }

  #someIds(): string[] {
    const ids = this.#waiting().map(([id]) => id);
    if (this.#offset >= ids.length) this.#offset = 0;
    const some = ids.slice(this.#offset, this.#offset + MAX_IDS);
    this.#offset += MAX_IDS;
    return some;
  }

  /**
   * A broker loses jobs together: all of them when it is emptied, those of an epoch when the epoch is old. So the job
   * of each epoch that waits for the longest time stands for the others.
   */
  async #wakeLost(): Promise<number> {
    const waiting = this.#waiting();
    const oldest = new Map<number, string>();
    for (const [id, { epochNumber }] of waiting) if (!oldest.has(epochNumber)) oldest.set(epochNumber, id);
    let woken = 0;
    for (const [epoch, id] of oldest) {
      if ((await this.#broker.getProvingJobStatus(id)).status !== "not-found") continue;
      for (const [, watched] of waiting) {
        if (watched.epochNumber !== epoch) continue;
        tell(watched);
        woken++;
      }
    }
    return woken;
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#options.signal }).catch(() => undefined);
  }
}

function tell(watched: Watched): void {
  watched.told = true;
  watched.wake?.();
}
