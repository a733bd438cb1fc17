/**
 * Job types in the order in which agents get them: what is nearer to the epoch's root first, so that epochs end as
 * early as possible. The numbers are those of the wire (docs/protocol/13-proving.md#133-broker).
 */
export const JOB_PRIORITY: readonly number[] = [15, 5, 6, 7, 8, 9, 10, 11, 12, 14, 13, 4, 3, 2, 0, 1, 17, 16];

/** A job as a prover node sends it. */
export interface BrokerJob {
  /** `<epoch>:<name of the type>:<hash of the input>`; any text for the broker. */
  readonly id: string;
  readonly type: number;
  readonly epochNumber: number;
  /** URI of the input as the bytes of a JSON string literal, quotes included. It may be the input itself. */
  readonly inputsUri: Uint8Array;
}

/** A job for an agent. */
export interface NextJob {
  readonly job: BrokerJob;
  /** The agent sends it back with its heartbeats. Milliseconds since 1970, unique in this process. */
  readonly time: number;
}

/** What a producer is told about a job. Texts are JSON string literals. */
export type JobStatus =
  | { readonly status: "not-found" | "in-queue" | "in-progress" }
  | { readonly status: "fulfilled"; readonly value: Uint8Array }
  | { readonly status: "rejected"; readonly reason: Uint8Array };

/** Job types that an agent takes; an empty list means all. */
export type AllowedTypes = readonly number[];

/** An agent that wants a job. */
export interface Agent {
  /** Address of the client. */
  readonly client: string;
  readonly allowed: AllowedTypes;
}

/** How a job ended. */
export type Settlement = "fulfilled" | "rejected";

/** Where a job is in its life. `storing` and `settling` last until the store has committed. */
export type JobState = "storing" | "queued" | "running" | "settling" | Settlement;
