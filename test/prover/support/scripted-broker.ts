import type { JobProducerApi, ProvingJob, ProvingJobStatus } from "../../../src/prover/jobs/proving-job.ts";

/** A broker whose jobs end as the test says. */
export class ScriptedBroker implements JobProducerApi {
  /** Of each call that enqueued a job, in order. */
  readonly enqueued: ProvingJob[] = [];
  readonly cancelled: string[] = [];
  /** Ids of each poll. */
  readonly polls: (readonly string[])[] = [];
  /** Throws for a call that fails. */
  fault: ((method: string) => Error | undefined) | undefined;
  /** What becomes of a job that is enqueued; undefined while it waits. */
  outcome: (job: ProvingJob, times: number) => ProvingJobStatus | undefined = () => undefined;
  /** Whether settled jobs are told of without being asked for. */
  notifies = true;
  readonly #statuses = new Map<string, ProvingJobStatus>();
  #news: string[] = [];

  async enqueueProvingJob(job: ProvingJob): Promise<ProvingJobStatus> {
    this.#fail("enqueueProvingJob");
    const before = this.#statuses.get(job.id) ?? { status: "not-found" };
    this.enqueued.push(job);
    if (before.status !== "not-found") return before;
    const times = this.enqueued.filter(({ id }) => id === job.id).length;
    this.settle(job.id, this.outcome(job, times) ?? { status: "in-queue" });
    return before;
  }

  settle(id: string, status: ProvingJobStatus): void {
    this.#statuses.set(id, status);
    if (this.notifies && isSettled(status)) this.#news.push(id);
  }

  /** Forgets all jobs. */
  empty(): void {
    this.#statuses.clear();
  }

  async getProvingJobStatus(id: string): Promise<ProvingJobStatus> {
    this.#fail("getProvingJobStatus");
    return this.#statuses.get(id) ?? { status: "not-found" };
  }

  async cancelProvingJob(id: string): Promise<void> {
    this.cancelled.push(id);
  }

  async getCompletedJobs(ids: readonly string[]): Promise<string[]> {
    this.#fail("getCompletedJobs");
    this.polls.push(ids);
    const news = this.#news;
    this.#news = [];
    return [...news, ...ids.filter((id) => isSettled(this.#statuses.get(id)))];
  }

  #fail(method: string): void {
    const error = this.fault?.(method);
    if (error !== undefined) throw error;
  }
}

function isSettled(status: ProvingJobStatus | undefined): boolean {
  return status?.status === "fulfilled" || status?.status === "rejected";
}
