import type { Prover } from "../../../src/prover/agent/prover.ts";
import type { JobRequest, JobRunner } from "../../../src/prover/epoch/job-runner.ts";
import type { JobResult } from "../../../src/prover/jobs/job-result.ts";

/** Has jobs proven in this process, a number of them at a time and in the order of arrival. */
export class InProcessRunner implements JobRunner {
  readonly #prover: Prover;
  readonly #atOnce: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(prover: Prover, atOnce = 1) {
    this.#prover = prover;
    this.#atOnce = atOnce;
  }

  async run({ type, input }: JobRequest, signal: AbortSignal): Promise<JobResult> {
    if (this.#running >= this.#atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      signal.throwIfAborted();
      return await this.#prover.prove({ type, input: input() }, signal);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
