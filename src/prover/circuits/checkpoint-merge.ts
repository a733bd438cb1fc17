import { isZero } from "../../protocol/bytes.ts";
import { decode, encode } from "../codec/codec.ts";
import { joinLists } from "./checkpoint-lists.ts";
import { requireEqual } from "./layouts/constraint-error.ts";
import {
  BlobAccumulator,
  CheckpointRollup,
  EpochConstants,
  type EpochRollup,
  FinalBlobChallenges,
} from "./layouts/rollups.ts";
import type { Children } from "./layouts/upper-inputs.ts";
import { Snapshot } from "./layouts/values.ts";

/** Bytes of a CheckpointRollup. */
const CHECKPOINT_ROLLUP_BYTES = 3568;

/** Stands for a second checkpoint where an epoch has one only: all zero. */
export function checkpointPadding(): CheckpointRollup {
  return decode(CheckpointRollup, "checkpoint padding", new Uint8Array(CHECKPOINT_ROLLUP_BYTES));
}

/** Two consecutive runs of checkpoints of an epoch. */
export function mergeCheckpoints([left, right]: Children<CheckpointRollup>): CheckpointRollup {
  return joinCheckpoints(left.publicInputs, right.publicInputs);
}

/** A whole epoch, as L1 verifies it. */
export function epochRoot([left, right]: Children<CheckpointRollup>): EpochRollup {
  const whole = isPadding(right.publicInputs)
    ? left.publicInputs
    : joinCheckpoints(left.publicInputs, right.publicInputs);
  const { blobCommitmentsHash, z, y, c } = whole.endAccumulator;
  return {
    previousArchiveRoot: whole.previousArchive.root,
    endArchiveRoot: whole.newArchive.root,
    outHash: whole.newOutHash.root,
    headerHashes: whole.headerHashes,
    fees: whole.fees,
    constants: whole.constants,
    blobs: { blobCommitmentsHash, z, y, c },
  };
}

function isPadding(checkpoint: CheckpointRollup): boolean {
  return isZero(encode(CheckpointRollup, checkpoint));
}

function joinCheckpoints(left: CheckpointRollup, right: CheckpointRollup): CheckpointRollup {
  requireEqual(EpochConstants, right.constants, left.constants, "children[1].constants", "those of children[0]");
  requireEqual(
    Snapshot,
    right.previousArchive,
    left.newArchive,
    "children[1].previousArchive",
    "children[0].newArchive",
  );
  requireEqual(
    Snapshot,
    right.previousOutHash,
    left.newOutHash,
    "children[1].previousOutHash",
    "children[0].newOutHash",
  );
  requireEqual(
    BlobAccumulator,
    right.startAccumulator,
    left.endAccumulator,
    "children[1].startAccumulator",
    "children[0].endAccumulator",
  );
  requireEqual(
    FinalBlobChallenges,
    right.finalChallenges,
    left.finalChallenges,
    "children[1].finalChallenges",
    "those of children[0]",
  );
  return {
    constants: left.constants,
    previousArchive: left.previousArchive,
    newArchive: right.newArchive,
    previousOutHash: left.previousOutHash,
    newOutHash: right.newOutHash,
    ...joinLists(left, right),
    startAccumulator: left.startAccumulator,
    endAccumulator: right.endAccumulator,
    finalChallenges: left.finalChallenges,
  };
}
