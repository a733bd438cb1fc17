import type * as wire from "../../protocol/proving-job.ts";
import type { InputUri } from "./inline-uri.ts";
import type { JobType } from "./job-type.ts";

export type ProvingJob = wire.ProvingJob<string, JobType>;
/** As prover nodes enqueue it. */
export type NewProvingJob = wire.ProvingJob<InputUri, JobType>;
export type ProvingJobStatus = wire.ProvingJobStatus<string>;
export type AssignedJob = wire.AssignedProvingJob<string, JobType>;

/** Types that the caller takes; an empty or missing list allows all. */
export interface JobFilter {
  readonly allowList?: readonly JobType[];
}

/** Begins the reason for which a broker refuses an output. */
export const INVALID_OUTPUT = "Invalid output: ";

/** The broker refuses an output. */
export class RefusedOutputError extends Error {
  /** One clause. */
  readonly fault: string;

  constructor(fault: string, options?: ErrorOptions) {
    super(`${INVALID_OUTPUT}${fault}`, options);
    this.name = "RefusedOutputError";
    this.fault = fault;
  }
}

/** The broker's methods for agents. Each returns the agent's next job, if it is to start one. */
export interface JobConsumerApi {
  getProvingJob(filter?: JobFilter): Promise<AssignedJob | undefined>;
  /** A heartbeat. A returned job replaces the one reported, whose work is dropped. */
  reportProvingJobProgress(id: string, startedAt: number, filter?: JobFilter): Promise<AssignedJob | undefined>;
  /** Rejects with a RefusedOutputError if the broker says that it refuses the output. */
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
  enqueueProvingJob(job: NewProvingJob): Promise<ProvingJobStatus>;
  getProvingJobStatus(id: string): Promise<ProvingJobStatus>;
  cancelProvingJob(id: string): Promise<void>;
  /** Ids settled since the last call, and those of `ids` that are settled. May contain duplicates. */
  getCompletedJobs(ids: readonly string[]): Promise<string[]>;
}
