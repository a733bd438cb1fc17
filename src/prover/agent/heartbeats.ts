import type { AssignedJob } from "../jobs/proving-job.ts";

/**
 * Tells the broker at intervals that a job is in progress. When the broker answers with another job, `replaced` is
 * aborted and heartbeats end.
 */
export class Heartbeats {
  /** Aborted when the job is no longer this agent's. */
  readonly replaced = new AbortController();
  readonly #report: () => Promise<AssignedJob | undefined>;
  readonly #intervalMs: number;
  #timer: NodeJS.Timeout | undefined;
  #inFlight: Promise<void> | undefined;
  #next: AssignedJob | undefined;
  #stopped = false;

  /** `report` sends one and does not throw. */
  constructor(report: () => Promise<AssignedJob | undefined>, intervalMs: number) {
    this.#report = report;
    this.#intervalMs = intervalMs;
    this.#schedule();
  }

  /** Waits for the heartbeat that is under way. Returns the job that replaces the reported one. */
  async stop(): Promise<AssignedJob | undefined> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#inFlight;
    return this.#next;
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      this.#inFlight = this.#beat();
    }, this.#intervalMs);
  }

  async #beat(): Promise<void> {
    this.#next = await this.#report();
    if (this.#next !== undefined) this.replaced.abort();
    else if (!this.#stopped) this.#schedule();
  }
}
