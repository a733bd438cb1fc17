import type { JobProducerApi, NewProvingJob, ProvingJobStatus } from "../jobs/proving-job.ts";
import type { BrokerConnection } from "./broker-connection.ts";
import { BrokerUnavailableError } from "./errors.ts";

/** The methods for prover nodes of a broker in another process. */
export class RemoteProducer implements JobProducerApi {
  readonly #broker: Pick<BrokerConnection, "call" | "callInPieces">;

  constructor(broker: Pick<BrokerConnection, "call" | "callInPieces">) {
    this.#broker = broker;
  }

  async enqueueProvingJob(job: NewProvingJob): Promise<ProvingJobStatus> {
    const { inputsUri, ...others } = job;
    return jobStatus(
      await (typeof inputsUri === "string"
        ? this.#broker.call("enqueueProvingJob", [job])
        : this.#broker.callInPieces("enqueueProvingJob", jobInPieces(others, inputsUri))),
    );
  }

  async getProvingJobStatus(id: string): Promise<ProvingJobStatus> {
    return jobStatus(await this.#broker.call("getProvingJobStatus", [id]));
  }

  async cancelProvingJob(id: string): Promise<void> {
    await this.#broker.call("cancelProvingJob", [id]);
  }

  async getCompletedJobs(ids: readonly string[]): Promise<string[]> {
    const result = await this.#broker.call("getCompletedJobs", [ids]);
    if (!Array.isArray(result) || !result.every((id) => typeof id === "string")) {
      throw new BrokerUnavailableError("the broker's answer is not a list of jobs");
    }
    return result;
  }
}

/** JSON of an array with the job. */
function* jobInPieces(others: Omit<NewProvingJob, "inputsUri">, inputsUri: Iterable<string>): Generator<string> {
  yield `[${JSON.stringify(others).slice(0, -1)},"inputsUri":"`;
  yield* inputsUri;
  yield '"}]';
}

/** Throws a BrokerUnavailableError for an answer that is not a status. */
function jobStatus(result: unknown): ProvingJobStatus {
  const { status, value, reason } = (result ?? {}) as Record<string, unknown>;
  switch (status) {
    case "not-found":
    case "in-queue":
    case "in-progress":
      return { status };
    case "fulfilled":
      if (typeof value === "string") return { status, value };
      throw malformed("value must be text");
    case "rejected":
      if (typeof reason === "string") return { status, reason };
      throw malformed("reason must be text");
    default:
      throw malformed("status must be not-found, in-queue, in-progress, fulfilled or rejected");
  }
}

function malformed(rule: string): BrokerUnavailableError {
  return new BrokerUnavailableError(`the broker's answer is not the status of a job: ${rule}`);
}
