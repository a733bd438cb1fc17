import { BrokerRefusalError } from "../broker-client/errors.ts";
import type { JobType } from "../jobs/job-type.ts";
import type {
  AssignedJob,
  JobConsumerApi,
  JobFilter,
  JobProducerApi,
  NewProvingJob,
  ProvingJobStatus,
} from "../jobs/proving-job.ts";
import { BrokerRequestError } from "./errors.ts";
import type { Agent, JobStatus, NextJob } from "./job.ts";
import type { ProvingBroker } from "./proving-broker.ts";

/** Stands for an address: producer and agents of this process. */
const PRODUCER = "producer in this process";
const AGENT = "agent in this process";
/** As the wire reports errors of methods. */
const METHOD_FAILED = -32702;

/** A broker for the producer and the agents of its own process. */
export class InProcessBroker implements JobProducerApi, JobConsumerApi {
  readonly #broker: ProvingBroker;
  readonly #signal: AbortSignal;
  readonly #hasOutput: (uri: string) => boolean;

  /**
   * `signal` ends calls that wait. `hasOutput` says whether the store still has an output: a job whose output was
   * fetched before, for an earlier attempt to prove the epoch, is done again.
   */
  constructor(broker: ProvingBroker, signal: AbortSignal, hasOutput: (uri: string) => boolean = () => true) {
    this.#broker = broker;
    this.#signal = signal;
    this.#hasOutput = hasOutput;
  }

  async enqueueProvingJob(job: NewProvingJob): Promise<ProvingJobStatus> {
    const stored = { ...job, inputsUri: literal(String(job.inputsUri)) };
    try {
      const status = statusOf(await this.#broker.enqueue(stored, PRODUCER));
      if (status.status !== "fulfilled" || this.#hasOutput(status.value)) return status;
      return statusOf(await this.#broker.replay(stored));
    } catch (error) {
      if (!(error instanceof BrokerRequestError)) throw error;
      throw new BrokerRefusalError("enqueueProvingJob", METHOD_FAILED, error.message);
    }
  }

  async getProvingJobStatus(id: string): Promise<ProvingJobStatus> {
    return statusOf(this.#broker.status(id, PRODUCER));
  }

  cancelProvingJob(id: string): Promise<void> {
    return this.#broker.cancel(id);
  }

  getCompletedJobs(ids: readonly string[]): Promise<string[]> {
    return this.#broker.completed(ids, PRODUCER, { signal: this.#signal });
  }

  async getProvingJob(filter?: JobFilter): Promise<AssignedJob | undefined> {
    return assigned(await this.#broker.next(agentWith(filter), { signal: this.#signal }));
  }

  async reportProvingJobProgress(id: string, startedAt: number, filter?: JobFilter): Promise<AssignedJob | undefined> {
    return assigned(this.#broker.progress(id, startedAt, agentWith(filter)));
  }

  async reportProvingJobSuccess(id: string, outputUri: string, filter?: JobFilter): Promise<AssignedJob | undefined> {
    return assigned(await this.#broker.succeed(id, literal(outputUri), agentWith(filter)));
  }

  async reportProvingJobError(
    id: string,
    message: string,
    retry: boolean,
    filter?: JobFilter,
  ): Promise<AssignedJob | undefined> {
    return assigned(await this.#broker.fail(id, message, retry, agentWith(filter)));
  }
}

function agentWith(filter: JobFilter | undefined): Agent {
  return { client: AGENT, allowed: filter?.allowList ?? [] };
}

function literal(text: string): Uint8Array {
  return Buffer.from(JSON.stringify(text));
}

function textOf(bytes: Uint8Array): string {
  return JSON.parse(Buffer.from(bytes).toString());
}

function statusOf(status: JobStatus): ProvingJobStatus {
  switch (status.status) {
    case "fulfilled":
      return { status: "fulfilled", value: textOf(status.value) };
    case "rejected":
      return { status: "rejected", reason: textOf(status.reason) };
    default:
      return status;
  }
}

function assigned(next: NextJob | undefined): AssignedJob | undefined {
  if (next === undefined) return undefined;
  const { id, type, epochNumber, inputsUri } = next.job;
  return { job: { id, type: type as JobType, epochNumber, inputsUri: textOf(inputsUri) }, time: next.time };
}
