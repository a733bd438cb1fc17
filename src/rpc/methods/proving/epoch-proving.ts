import { encodeArray, encodeNothing, encoder } from "../../codecs/json/encoder.ts";
import { COUNT, members, named, TEXT } from "../../codecs/json/json-schema.ts";
import { integer } from "../../codecs/json/number.ts";
import { encodeSyncStatus } from "../../codecs/release/sync-status.ts";
import { encodeTips } from "../../codecs/release/tips.ts";
import type { EpochProvingJob } from "../../ports/epoch-prover.ts";
import type { NodeServices } from "../../ports/node-services.ts";
import { type Method, method, param } from "../../registry/registry.ts";
import { worldSyncStatus } from "../world-state/world-state.ts";

const JOB = named(
  "EpochProvingJob",
  "An attempt to prove an epoch that has not ended.",
  members({
    uuid: TEXT,
    status: { enum: ["initialized", "processing", "awaiting-prover", "publishing-proof"] },
    epochNumber: COUNT,
  }),
);

const encodeJob = encoder<EpochProvingJob>(JOB, (out, { uuid, status, epochNumber }) => {
  out.text(`{"uuid":"${uuid}","status":"${status}","epochNumber":${epochNumber}}`);
});

const EPOCH = param("epochNumber", integer({ least: 0, most: 2 ** 32 - 1 }), "The epoch.");

/** Methods of a node that proves epochs (docs/protocol/13-proving.md). */
export function epochProvingMethods({
  chain,
  world,
  prover,
}: Pick<NodeServices, "chain" | "world" | "prover">): Method[] {
  return [
    method({
      name: "getJobs",
      summary: "Epochs that are being proven",
      params: [],
      handle: () => prover.jobs(),
      encode: { prover: encodeArray(encodeJob) },
    }),
    method({
      name: "startProof",
      summary: "Proves the checkpoints that an epoch has now; answers when its transactions were found",
      params: [EPOCH],
      handle: (epoch) => prover.startProof(epoch).then((): undefined => undefined),
      encode: { prover: encodeNothing },
    }),
    method({
      name: "getL2Tips",
      summary: "The proposed, checkpointed, proven and finalized tips",
      params: [],
      handle: () => chain.tips(),
      encode: { prover: encodeTips },
    }),
    method({
      name: "getWorldStateSyncStatus",
      summary: "How far the trees have come",
      params: [],
      handle: () => worldSyncStatus(world),
      encode: { prover: encodeSyncStatus },
    }),
  ];
}
