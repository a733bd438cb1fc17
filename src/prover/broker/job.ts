import type { AssignedProvingJob, ProvingJob, ProvingJobStatus } from "../../protocol/proving-job.ts";

/**
 * Job types in the order in which agents get them: what is nearer to the epoch's root first, so that epochs end as
 * early as possible. The numbers are those of the wire (docs/protocol/13-proving.md#133-broker).
 */
export const JOB_PRIORITY: readonly number[] = [15, 5, 6, 7, 8, 9, 10, 11, 12, 14, 13, 4, 3, 2, 0, 1, 17, 16];

/** A broker keeps texts as they come: as the bytes of JSON string literals. */
export type BrokerJob = ProvingJob<Uint8Array>;
export type NextJob = AssignedProvingJob<Uint8Array>;
export type JobStatus = ProvingJobStatus<Uint8Array>;

/** Job types that an agent takes; an empty list means all. */
export type AllowedTypes = readonly number[];

/** An agent that wants a job. */
export interface Agent {
  /** Address of the client. */
  readonly client: string;
  readonly allowed: AllowedTypes;
  /** Whether a refused output is an error for it; otherwise it gets its next job. */
  readonly toldOfRefusals?: boolean;
}

/** How a job ended. */
export type Settlement = "fulfilled" | "rejected";

/** Where a job is in its life. `storing` and `settling` last until the store has committed. */
export type JobState = "storing" | "queued" | "running" | "settling" | Settlement;
