import type { AssignedProvingJob, ProvingJob, ProvingJobStatus } from "../../protocol/proving-job.ts";
import type { Eventually } from "./eventually.ts";

/** Texts that may be long stay the bytes of JSON string literals on their way through a broker. */
type BrokerJob = ProvingJob<Uint8Array>;
export type BrokerJobStatus = ProvingJobStatus<Uint8Array>;
export type HandedOutJob = AssignedProvingJob<Uint8Array>;

/**
 * A client that waits for its answer for a while if there is nothing to answer with; undefined for one that does not.
 */
export type Patience = { readonly signal: AbortSignal | undefined } | undefined;

/** An agent that wants a job. */
interface JobSeeker {
  /** Its address. */
  readonly client: string;
  /** The job types that it takes; all if the list is empty. */
  readonly allowed: readonly number[];
  /** Whether a refused output is an error for it; otherwise it gets its next job. */
  readonly toldOfRefusals?: boolean;
}

/** What a broker does for agents. */
export interface AgentBrokerPort {
  next(agent: JobSeeker, patience: Patience): Eventually<HandedOutJob | undefined>;
  progress(id: string, startedAt: number, agent: JobSeeker): Eventually<HandedOutJob | undefined>;
  succeed(id: string, outputUri: Uint8Array, agent: JobSeeker): Promise<HandedOutJob | undefined>;
  fail(id: string, message: string, retry: boolean, agent: JobSeeker): Promise<HandedOutJob | undefined>;
}

/** The broker in a node's process, for agents elsewhere; it answers at once. Rejects with an ExecutionError. */
export interface JobSource extends Omit<AgentBrokerPort, "next"> {
  next(agent: JobSeeker): Eventually<HandedOutJob | undefined>;
}

/** What a broker does for prover nodes, whose address is `client`, and agents. */
export interface ProvingBrokerPort extends AgentBrokerPort {
  enqueue(job: BrokerJob, client: string): Promise<BrokerJobStatus>;
  status(id: string, client: string): BrokerJobStatus;
  cancel(id: string): Promise<void>;
  completed(ids: readonly string[], client: string, patience: Patience): Promise<string[]>;
  replay(job: BrokerJob): Promise<BrokerJobStatus>;
}
