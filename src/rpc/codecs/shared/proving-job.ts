import type { BrokerJobStatus, HandedOutJob } from "../../ports/proving-broker.ts";
import { absent, array, type Codec, mapped, object, optional, ruled, typed } from "../json/codec.ts";
import { encoder } from "../json/encoder.ts";
import { COUNT, members, NUMBER, named, record, TEXT } from "../json/json-schema.ts";
import { integer, oneOf, plainNumber } from "../json/number.ts";
import { EPOCH_NUMBER } from "../json/scalars.ts";
import { boolean, text } from "../json/text.ts";

/** Job types (docs/protocol/13-proving.md#131-jobs). */
const JOB_TYPES = Array.from({ length: 18 }, (_, type) => type);
/** Longest job id, so that it can be the key of a row. */
const MAX_ID_LENGTH = 512;

export const jobType: Codec<number> = oneOf(JOB_TYPES);

export const jobId: Codec<string> = ruled(text(MAX_ID_LENGTH), (id) =>
  id !== "" && id.isWellFormed() ? undefined : "Expected a text of at least one character and without lone surrogates",
);

/** A text that may be long, as the bytes of its JSON string literal. */
export const textLiteral: Codec<Uint8Array> = mapped(text(), (read) => Buffer.from(JSON.stringify(read)));

export const epochNumber = integer({ least: 0, most: Number.MAX_SAFE_INTEGER });

export const provingJob = typed(
  object({ id: jobId, type: jobType, epochNumber, inputsUri: textLiteral }),
  "ProvingJob",
  "A circuit to prove. The id names epoch, type and hash of the input; the URI may be the input itself.",
);

/** The job types that an agent takes, each once; empty for all. */
export const allowedTypes = optional(
  mapped(object({ allowList: absent(array(jobType)) }), ({ allowList = [] }) => [...new Set(allowList)]),
  [],
);

/**
 * As `allowedTypes`, of an agent that reports an output. `refusals`: it wants an error if the output is refused. The
 * reference's agents do not know the member, and would report the same output again after an error.
 */
export const reportingAgent = optional(
  mapped(
    object({ allowList: absent(array(jobType)), refusals: absent(boolean) }),
    ({ allowList = [], refusals = false }) => ({ allowed: [...new Set(allowList)], toldOfRefusals: refusals }),
  ),
  { allowed: [], toldOfRefusals: false },
);

export const startedAt: Codec<number> = { ...plainNumber(), schema: NUMBER };

const HANDED_OUT = record(
  "HandedOutJob",
  "A job for an agent. `time` is what the agent sends with its heartbeats as `startedAt`.",
  {
    job: members({ id: TEXT, type: COUNT, epochNumber: EPOCH_NUMBER, inputsUri: TEXT }),
    time: NUMBER,
  },
);

export const encodeHandedOutJob = encoder<HandedOutJob>(HANDED_OUT, (out, { job, time }) => {
  out.text('{"job":{"id":').value(job.id).text(`,"type":${job.type},"epochNumber":${job.epochNumber}`);
  out.text(',"inputsUri":').bytes(job.inputsUri).text(`},"time":${time}}`);
});

const STATUS = named("ProvingJobStatus", "What a broker knows of a job.", {
  anyOf: [
    members({ status: { enum: ["not-found", "in-queue", "in-progress"] } }),
    members({ status: { const: "fulfilled" }, value: { ...TEXT, description: "URI of the output." } }),
    members({ status: { const: "rejected" }, reason: TEXT }),
  ],
});

export const encodeJobStatus = encoder<BrokerJobStatus>(STATUS, (out, status) => {
  out.text(`{"status":"${status.status}"`);
  if (status.status === "fulfilled") out.text(',"value":').bytes(status.value);
  if (status.status === "rejected") out.text(',"reason":').bytes(status.reason);
  out.text("}");
});
