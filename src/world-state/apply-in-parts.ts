import type { BlockEffects, BlocksInHashing, PreparedBlocks, WorldStateWriter } from "./types.ts";

/**
 * Changed leaves from which a part is large enough. Blocks that are written together share pages, so that larger parts take less
 * time for each leaf; but the event loop has no turn while one is written, for about two seconds with so many.
 */
const LEAVES_PER_PART = 65_536;

/** Blocks that are written in one transaction or not at all. */
export interface Unit {
  effects: BlockEffects[];
}

/** Leaves that a block changes, at most. */
function changedLeaves({ txs }: BlockEffects): number {
  return txs.reduce(
    (sum, { noteHashes, nullifiers, publicDataWrites }) =>
      sum + (noteHashes.length + 2 * nullifiers.length + publicDataWrites.length) / 32,
    0,
  );
}

/** Cuts units into runs that are worth a transaction each. */
export function cutIntoParts<U extends Unit>(units: readonly U[], leavesPerPart = LEAVES_PER_PART): U[][] {
  const parts: U[][] = [];
  let leaves = Number.POSITIVE_INFINITY;
  for (const unit of units) {
    if (leaves >= leavesPerPart) {
      parts.push([]);
      leaves = 0;
    }
    parts[parts.length - 1].push(unit);
    leaves += unit.effects.reduce((sum, block) => sum + changedLeaves(block), 0);
  }
  return parts;
}

/**
 * Applies consecutive blocks part by part. While `commit` writes and commits one, which has to be done before it returns, other
 * threads hash the next. A part without blocks comes with nothing prepared. When a part fails, those before it are committed;
 * nothing is left running. Throws what `commit` throws, and as WorldStateWriter.prepare.
 */
export async function applyInParts<U extends Unit>(
  worldState: Pick<WorldStateWriter, "begin">,
  parts: readonly U[][],
  commit: (part: U[], prepared: PreparedBlocks | undefined) => void,
): Promise<void> {
  let last: BlocksInHashing | undefined;
  const begin = (part: U[] | undefined): BlocksInHashing | undefined => {
    const effects = part?.flatMap((unit) => unit.effects) ?? [];
    if (effects.length === 0) return undefined;
    try {
      last = worldState.begin(effects, last);
      return last;
    } catch (error) {
      const hashed = Promise.reject(error);
      hashed.catch(() => undefined);
      return { ...{ first: 0, last: 0 }, underWay: Promise.resolve(), hashed };
    }
  };
  let begun = begin(parts[0]);
  for (const [i, part] of parts.entries()) {
    const next = begin(parts[i + 1]);
    try {
      const prepared = await begun?.hashed;
      await next?.underWay;
      commit(part, prepared);
    } catch (error) {
      await next?.hashed.catch(() => undefined);
      throw error;
    }
    begun = next;
  }
}
