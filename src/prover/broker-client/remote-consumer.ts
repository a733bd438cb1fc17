import { isJobType } from "../jobs/job-type.ts";
import {
  type AssignedJob,
  INVALID_OUTPUT,
  type JobConsumerApi,
  type JobFilter,
  RefusedOutputError,
} from "../jobs/proving-job.ts";
import type { BrokerConnection } from "./broker-connection.ts";
import { BrokerRefusalError, BrokerUnavailableError } from "./errors.ts";

const METHOD_NOT_FOUND = -32601;

/** The methods for agents of a broker in another process, which may be that of a node. */
export class RemoteConsumer implements JobConsumerApi {
  readonly #broker: Pick<BrokerConnection, "call" | "changeNamespace">;

  constructor(broker: Pick<BrokerConnection, "call" | "changeNamespace">) {
    this.#broker = broker;
  }

  async getProvingJob(filter?: JobFilter): Promise<AssignedJob | undefined> {
    return assignedJob(await this.#next(filter));
  }

  async #next(filter: JobFilter | undefined): Promise<unknown> {
    try {
      return await this.#broker.call("getProvingJob", [filter]);
    } catch (error) {
      if (!(error instanceof BrokerRefusalError) || error.code !== METHOD_NOT_FOUND) throw error;
      this.#broker.changeNamespace();
      return this.#broker.call("getProvingJob", [filter]);
    }
  }

  async reportProvingJobProgress(id: string, startedAt: number, filter?: JobFilter): Promise<AssignedJob | undefined> {
    return assignedJob(await this.#broker.call("reportProvingJobProgress", [id, startedAt, filter]));
  }

  async reportProvingJobSuccess(id: string, outputUri: string, filter?: JobFilter): Promise<AssignedJob | undefined> {
    try {
      const next = await this.#broker.call("reportProvingJobSuccess", [id, outputUri, { ...filter, refusals: true }]);
      return assignedJob(next);
    } catch (error) {
      if (!(error instanceof BrokerRefusalError) || !error.reason.startsWith(INVALID_OUTPUT)) throw error;
      throw new RefusedOutputError(error.reason.slice(INVALID_OUTPUT.length), { cause: error });
    }
  }

  async reportProvingJobError(
    id: string,
    message: string,
    retry: boolean,
    filter?: JobFilter,
  ): Promise<AssignedJob | undefined> {
    return assignedJob(await this.#broker.call("reportProvingJobError", [id, message, retry, filter]));
  }
}

/** Throws a BrokerUnavailableError for an answer that is not a job. */
function assignedJob(result: unknown): AssignedJob | undefined {
  if (result === undefined) return undefined;
  const { job, time } = result as { job?: Record<string, unknown>; time?: unknown };
  const { id, type, epochNumber, inputsUri } = job ?? {};
  if (typeof time !== "number") throw malformed("time must be a number");
  if (typeof id !== "string") throw malformed("job.id must be text");
  if (!isJobType(type)) throw malformed("job.type must be the number of a job type");
  if (typeof epochNumber !== "number") throw malformed("job.epochNumber must be a number");
  if (typeof inputsUri !== "string") throw malformed("job.inputsUri must be text");
  return { job: { id, type, epochNumber, inputsUri }, time };
}

function malformed(rule: string): BrokerUnavailableError {
  return new BrokerUnavailableError(`the broker's answer is not a job: ${rule}`);
}
