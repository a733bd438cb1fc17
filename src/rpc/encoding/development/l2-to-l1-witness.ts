import type { JsonWriter } from "../json-writer.ts";
import { encodeSiblingPath } from "../v4/witness.ts";

/** Where a message is in the tree whose root L1 holds. */
export interface L2ToL1Witness {
  epoch: number;
  /** How many checkpoints of the epoch the root covers. */
  checkpoints: number;
  root: Uint8Array;
  leafIndex: bigint;
  /** n x 32 bytes, leaf side first. */
  path: Uint8Array;
}

/** L2ToL1MembershipWitness (sheet 03 section 4.18). */
export function encodeL2ToL1Witness(out: JsonWriter, witness: L2ToL1Witness): void {
  out.text(`{"epochNumber":${witness.epoch},"numCheckpointsInEpoch":${witness.checkpoints},"root":`);
  out.word(witness.root).text(`,"leafIndex":"${witness.leafIndex}","siblingPath":`);
  encodeSiblingPath(out, witness.path);
  out.text("}");
}
