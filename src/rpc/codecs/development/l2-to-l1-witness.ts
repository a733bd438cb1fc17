import { encoder } from "../json/encoder.ts";
import { about, record } from "../json/json-schema.ts";
import { DECIMAL, EPOCH_NUMBER, FIELD } from "../json/scalars.ts";
import { encodeSiblingPath } from "../release/witness.ts";

/** Position of a message in the tree whose root is on L1. */
export interface L2ToL1Witness {
  epoch: number;
  /** How many checkpoints of the epoch the root covers. */
  checkpoints: number;
  root: Uint8Array;
  leafIndex: bigint;
  /** n x 32 bytes, leaf side first. */
  path: Uint8Array;
}

const WITNESS = record("L2ToL1MembershipWitness", "Proof of a message to L1 against a root that L1 holds.", {
  epochNumber: about(EPOCH_NUMBER, "The epoch of the message's block."),
  numCheckpointsInEpoch: {
    type: "integer",
    minimum: 1,
    description: "How many checkpoints of the epoch the root covers.",
  },
  root: about(FIELD, "The root of the epoch's messages on L1."),
  leafIndex: about(DECIMAL, "Index of the message in the tree of that root."),
  siblingPath: encodeSiblingPath.schema,
});

/** L2ToL1MembershipWitness (docs/protocol/05-rpc.md#521-messages). */
export const encodeL2ToL1Witness = encoder<L2ToL1Witness>(WITNESS, (out, witness) => {
  out.text(`{"epochNumber":${witness.epoch},"numCheckpointsInEpoch":${witness.checkpoints},"root":`);
  out.word(witness.root).text(`,"leafIndex":"${witness.leafIndex}","siblingPath":`);
  encodeSiblingPath(out, witness.path);
  out.text("}");
});
