import { array, optional } from "../../codecs/json/codec.ts";
import { encodeArray, encodeNothing, encodeText } from "../../codecs/json/encoder.ts";
import { boolean, text } from "../../codecs/json/text.ts";
import {
  allowedTypes,
  encodeHandedOutJob,
  encodeJobStatus,
  epochNumber,
  jobId,
  jobType,
  provingJob,
  reportingAgent,
  startedAt,
  textLiteral,
} from "../../codecs/shared/proving-job.ts";
import type { AgentBrokerPort, Patience, ProvingBrokerPort } from "../../ports/proving-broker.ts";
import { type Method, method, type Origin, param, Registry } from "../../registry/registry.ts";

const FILTER = param("filter", allowedTypes, "The job types that the agent takes; all by default.");
const REPORTER = param(
  "filter",
  reportingAgent,
  "The job types that the agent takes; all by default. With `refusals` an output that is refused is an error.",
);
const ID = param("id", jobId, "The job.");
const NO_JOB = "when there is no job for the agent";

const clientOf = ({ caller }: Origin): string => caller?.client() ?? "";

/** A call waits only if no other call of its request waits for it. */
function patienceOf({ caller, batched }: Origin): Patience {
  return batched ? undefined : { signal: caller?.signal() };
}

/** The same in both namespaces: a broker's own, and that of a node whose broker is in its process. */
const JOB = { proverBroker: encodeHandedOutJob, provingJobSource: encodeHandedOutJob };

/** Methods for agents. */
export function agentMethods(broker: AgentBrokerPort): Method[] {
  return [
    method({
      name: "getProvingJob",
      summary: "Next job for an agent",
      params: [FILTER],
      handleFrom: (origin, allowed) => broker.next({ client: clientOf(origin), allowed }, patienceOf(origin)),
      nothing: NO_JOB,
      encode: JOB,
    }),
    method({
      name: "reportProvingJobProgress",
      summary: "Heartbeat of an agent; returns a job if the agent should drop its own for it",
      params: [ID, param("startedAt", startedAt, "`time` of the job as it was handed out."), FILTER],
      handleFrom: (origin, id, since, allowed) => broker.progress(id, since, { client: clientOf(origin), allowed }),
      nothing: "when the agent should go on",
      encode: JOB,
    }),
    method({
      name: "reportProvingJobSuccess",
      summary: "Takes the output of a job; returns the next job for the agent",
      params: [ID, param("outputUri", textLiteral, "URI of the output, which may be the output itself."), REPORTER],
      handleFrom: (origin, id, uri, agent) => broker.succeed(id, uri, { client: clientOf(origin), ...agent }),
      nothing: NO_JOB,
      encode: JOB,
    }),
    method({
      name: "reportProvingJobError",
      summary: "Takes the failure of a job; returns the next job for the agent",
      params: [
        ID,
        param("error", text(), "What went wrong."),
        param("retry", optional(boolean, false), "Whether another attempt may succeed; false by default."),
        FILTER,
      ],
      handleFrom: (origin, id, message, retry, allowed) =>
        broker.fail(id, message, retry, { client: clientOf(origin), allowed }),
      nothing: NO_JOB,
      encode: JOB,
    }),
  ];
}

/** Every method of a proving broker (docs/protocol/13-proving.md#133-broker). */
export function provingBrokerRegistry(broker: ProvingBrokerPort, { replay }: { replay: boolean }): Registry {
  const methods = [
    method({
      name: "enqueueProvingJob",
      summary: "Takes a job; returns the status that it had before",
      params: [param("job", provingJob)],
      handleFrom: (origin, job) => broker.enqueue(job, clientOf(origin)),
      encode: { proverBroker: encodeJobStatus },
    }),
    method({
      name: "getProvingJobStatus",
      summary: "Status of a job, with its output once it has one",
      params: [ID],
      handleFrom: (origin, id) => broker.status(id, clientOf(origin)),
      encode: { proverBroker: encodeJobStatus },
    }),
    method({
      name: "cancelProvingJob",
      summary: "Rejects a job that is not settled",
      params: [ID],
      handle: (id) => broker.cancel(id).then((): undefined => undefined),
      encode: { proverBroker: encodeNothing },
    }),
    method({
      name: "getCompletedJobs",
      summary: "Jobs settled since the client asked last, then those of a list that are settled",
      params: [param("ids", array(jobId), "Jobs to look at in any case.")],
      handleFrom: (origin, ids) => broker.completed(ids, clientOf(origin), patienceOf(origin)),
      encode: { proverBroker: encodeArray(encodeText) },
    }),
    ...agentMethods(broker),
  ];
  const replayMethod = method({
    name: "replayProvingJob",
    summary: "Forgets what is known of a job and queues it; only with PROVER_BROKER_DEBUG_REPLAY_ENABLED",
    params: [ID, param("type", jobType), param("epochNumber", epochNumber), param("inputsUri", textLiteral)],
    handle: (id, type, epoch, inputsUri) => broker.replay({ id, type, epochNumber: epoch, inputsUri }),
    encode: { proverBroker: encodeJobStatus },
  });
  return new Registry(replay ? [...methods, replayMethod] : methods);
}
