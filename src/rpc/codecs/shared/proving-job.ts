import type { BrokerJobStatus, HandedOutJob } from "../../ports/proving-broker.ts";
import { encoder } from "../json/encoder.ts";
import { COUNT, members, NUMBER, named, record, TEXT } from "../json/json-schema.ts";
import { EPOCH_NUMBER } from "../json/scalars.ts";

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
