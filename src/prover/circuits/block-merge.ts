import { isZero } from "../../protocol/bytes.ts";
import type { CircuitContext } from "./circuit-context.ts";
import { ConstraintError, requireEqual } from "./layouts/constraint-error.ts";
import { type BlockRollup, CheckpointConstants } from "./layouts/rollups.ts";
import type { Children } from "./layouts/upper-inputs.ts";
import { Snapshot, SpongeBlob, State } from "./layouts/values.ts";
import { poseidonPair } from "./merkle-path.ts";
import { addFields, joinOutHashes } from "./rollup-sums.ts";

/** Consecutive blocks of a checkpoint: of one child, or of two joined. */
export function mergeBlocks(context: CircuitContext, children: Children<BlockRollup>): BlockRollup {
  return children.map(({ publicInputs }) => publicInputs).reduce((left, right) => joinBlocks(context, left, right));
}

function joinBlocks({ core, generation }: CircuitContext, left: BlockRollup, right: BlockRollup): BlockRollup {
  requireEqual(CheckpointConstants, right.constants, left.constants, "children[1].constants", "those of children[0]");
  requireEqual(
    Snapshot,
    right.previousArchive,
    left.newArchive,
    "children[1].previousArchive",
    "children[0].newArchive",
  );
  requireEqual(State, right.startState, left.endState, "children[1].startState", "children[0].endState");
  requireEqual(SpongeBlob, right.startSponge, left.endSponge, "children[1].startSponge", "children[0].endSponge");
  if (right.timestamp !== left.timestamp) {
    throw new ConstraintError("children[1].timestamp", "must equal children[0].timestamp");
  }
  if (!isZero(right.inHash)) throw new ConstraintError("children[1].inHash", "must be zero");
  const pair = poseidonPair(core, generation.hashing.blockHeaderNodes);
  return {
    constants: left.constants,
    previousArchive: left.previousArchive,
    newArchive: right.newArchive,
    startState: left.startState,
    endState: right.endState,
    startSponge: left.startSponge,
    endSponge: right.endSponge,
    timestamp: left.timestamp,
    blockHeadersHash: pair(left.blockHeadersHash, right.blockHeadersHash),
    inHash: left.inHash,
    outHash: joinOutHashes(left.outHash, right.outHash),
    accumulatedFees: addFields(left.accumulatedFees, right.accumulatedFees),
    accumulatedManaUsed: addFields(left.accumulatedManaUsed, right.accumulatedManaUsed),
  };
}
