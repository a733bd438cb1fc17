import { requireEqual } from "./layouts/constraint-error.ts";
import { BlockConstants, type TxRollup } from "./layouts/rollups.ts";
import type { Children } from "./layouts/upper-inputs.ts";
import { PartialState, SpongeBlob } from "./layouts/values.ts";
import { addFields, joinOutHashes } from "./rollup-sums.ts";

/** Consecutive transactions of a block: of one child, or of two joined. */
export function mergeTxs(children: Children<TxRollup>): TxRollup {
  return children.map(({ publicInputs }) => publicInputs).reduce(joinTxs);
}

function joinTxs(left: TxRollup, right: TxRollup): TxRollup {
  requireEqual(BlockConstants, right.constants, left.constants, "children[1].constants", "those of children[0]");
  requireEqual(PartialState, right.startTrees, left.endTrees, "children[1].startTrees", "children[0].endTrees");
  requireEqual(SpongeBlob, right.startSponge, left.endSponge, "children[1].startSponge", "children[0].endSponge");
  return {
    numTxs: left.numTxs + right.numTxs,
    constants: left.constants,
    startTrees: left.startTrees,
    endTrees: right.endTrees,
    startSponge: left.startSponge,
    endSponge: right.endSponge,
    outHash: joinOutHashes(left.outHash, right.outHash),
    accumulatedFees: addFields(left.accumulatedFees, right.accumulatedFees),
    accumulatedManaUsed: addFields(left.accumulatedManaUsed, right.accumulatedManaUsed),
  };
}
