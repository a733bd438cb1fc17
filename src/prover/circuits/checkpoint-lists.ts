import { concat, isZero, word } from "../../protocol/bytes.ts";
import { MAX_CHECKPOINTS_PER_EPOCH } from "../../protocol/constants.ts";
import { FR_ZERO } from "../../protocol/field.ts";
import { ConstraintError } from "./layouts/constraint-error.ts";
import type { CheckpointRollup } from "./layouts/rollups.ts";

/** Lists of an epoch's checkpoints have 32 places, of which the first ones are in use. */

type Fees = CheckpointRollup["fees"];

const NO_FEE: Fees[number] = { recipient: new Uint8Array(20), value: FR_ZERO };

/** Header hashes (n x 32 bytes) and zeros. */
export function paddedHashes(hashes: Uint8Array): Uint8Array {
  return concat(hashes, new Uint8Array(MAX_CHECKPOINTS_PER_EPOCH * 32 - hashes.length));
}

export function paddedFees(fees: Fees): Fees {
  return [...fees, ...Array.from({ length: MAX_CHECKPOINTS_PER_EPOCH - fees.length }, () => NO_FEE)];
}

/** The lists of two consecutive runs of checkpoints, joined. */
export function joinLists(
  left: CheckpointRollup,
  right: CheckpointRollup,
): Pick<CheckpointRollup, "headerHashes" | "fees"> {
  const [first, second] = [checkpointCount(left), checkpointCount(right)];
  if (first + second > MAX_CHECKPOINTS_PER_EPOCH) {
    throw new ConstraintError("children", `must have at most ${MAX_CHECKPOINTS_PER_EPOCH} checkpoints together`);
  }
  return {
    headerHashes: paddedHashes(
      concat(left.headerHashes.subarray(0, first * 32), right.headerHashes.subarray(0, second * 32)),
    ),
    fees: paddedFees([...left.fees.slice(0, first), ...right.fees.slice(0, second)]),
  };
}

function checkpointCount({ headerHashes }: CheckpointRollup): number {
  let count = 0;
  while (count < MAX_CHECKPOINTS_PER_EPOCH && !isZero(word(headerHashes, count))) count++;
  return count;
}
