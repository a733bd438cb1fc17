import { JOB_TYPE_NAMES } from "../jobs/job-type.ts";
import { JOB_PRIORITY } from "./job.ts";
import type { TrackedJob } from "./tracked-job.ts";

/** Jobs of one type: by epoch, in order of arrival. */
type Queue = Map<number, Set<TrackedJob>>;

/** Jobs that wait for an agent. */
export class ReadyJobs {
  readonly #queues: readonly Queue[] = JOB_TYPE_NAMES.map(() => new Map());

  /** Puts a job at the end of its epoch's queue. */
  add(job: TrackedJob): void {
    const queue = this.#queues[job.type];
    const jobs = queue.get(job.epochNumber);
    if (jobs === undefined) queue.set(job.epochNumber, new Set([job]));
    else jobs.add(job);
  }

  remove(job: TrackedJob): void {
    const queue = this.#queues[job.type];
    const jobs = queue.get(job.epochNumber);
    if (jobs?.delete(job) && jobs.size === 0) queue.delete(job.epochNumber);
  }

  /** Removes the job that an agent should get next: by type, then epoch, then arrival. */
  take(allows: (type: number) => boolean): TrackedJob | undefined {
    for (const type of JOB_PRIORITY) {
      const queue = this.#queues[type];
      if (queue.size === 0 || !allows(type)) continue;
      const [job] = queue.get(Math.min(...queue.keys()))!;
      this.remove(job);
      return job;
    }
    return undefined;
  }

  /** Waiting jobs of a type. */
  count(type: number): number {
    let count = 0;
    for (const jobs of this.#queues[type].values()) count += jobs.size;
    return count;
  }
}
