import type { JobType } from "./job-type.ts";

/** A circuit to prove, as producers enqueue it and agents receive it. */
export interface ProvingJob {
  readonly id: string;
  readonly type: JobType;
  readonly epochNumber: number;
  /** Where the proof store holds the input; a data URI contains the input itself. */
  readonly inputsUri: string;
}

export type ProvingJobStatus =
  | { readonly status: "not-found" | "in-queue" | "in-progress" }
  /** `value` is the URI of the output. */
  | { readonly status: "fulfilled"; readonly value: string }
  | { readonly status: "rejected"; readonly reason: string };

/** A job handed out to an agent. */
export interface AssignedJob {
  readonly job: ProvingJob;
  /** The broker's clock at the assignment, Unix time in ms; the agent returns it with every report. */
  readonly time: number;
}

/** Types that the caller takes; an empty or missing list allows all. */
export interface JobFilter {
  readonly allowList?: readonly JobType[];
}

/** The broker's methods for agents. Each returns the agent's next job, if it is to start one. */
export interface JobConsumerApi {
  getProvingJob(filter?: JobFilter): Promise<AssignedJob | undefined>;
  /** A heartbeat. A returned job replaces the one reported, whose work is dropped. */
  reportProvingJobProgress(id: string, startedAt: number, filter?: JobFilter): Promise<AssignedJob | undefined>;
  reportProvingJobSuccess(id: string, outputUri: string, filter?: JobFilter): Promise<AssignedJob | undefined>;
  /** `retry`: whether another attempt may succeed. */
  reportProvingJobError(
    id: string,
    message: string,
    retry: boolean,
    filter?: JobFilter,
  ): Promise<AssignedJob | undefined>;
}

/** The broker's methods for prover nodes. */
export interface JobProducerApi {
  /** Returns the status before the call. */
  enqueueProvingJob(job: ProvingJob): Promise<ProvingJobStatus>;
  getProvingJobStatus(id: string): Promise<ProvingJobStatus>;
  cancelProvingJob(id: string): Promise<void>;
  /** Ids settled since the last call, and those of `ids` that are settled. May contain duplicates. */
  getCompletedJobs(ids: readonly string[]): Promise<string[]>;
}
