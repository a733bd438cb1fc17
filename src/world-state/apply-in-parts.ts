import type { BlockEffects, BlocksInHashing, PreparedBlocks, WorldStateWriter } from "./types.ts";

/**
 * A part ends once it changes this many leaves. Blocks that are written together share pages, so larger parts take less
 * time per leaf; but writing a part blocks the event loop, for about two seconds at this size.
 */
const LEAVES_PER_PART = 65_536;

/** Consecutive blocks that are written in one transaction or not at all, such as those of a checkpoint. */
export interface AtomicBlocks {
  effects: BlockEffects[];
}

/** Upper bound on the leaves that the block changes. */
function changedLeaves({ txs }: BlockEffects): number {
  return txs.reduce(
    (sum, { noteHashes, nullifiers, publicDataWrites }) =>
      sum + (noteHashes.length + 2 * nullifiers.length + publicDataWrites.length) / 32,
    0,
  );
}

/** Groups atomic blocks into parts that are large enough for one transaction each. */
export function cutIntoParts<B extends AtomicBlocks>(all: readonly B[], leavesPerPart = LEAVES_PER_PART): B[][] {
  const parts: B[][] = [];
  let leaves = Number.POSITIVE_INFINITY;
  for (const blocks of all) {
    if (leaves >= leavesPerPart) {
      parts.push([]);
      leaves = 0;
    }
    parts[parts.length - 1].push(blocks);
    leaves += blocks.effects.reduce((sum, block) => sum + changedLeaves(block), 0);
  }
  return parts;
}

/**
 * Applies consecutive blocks part by part. `commit` writes and commits a part synchronously; meanwhile other threads
 * hash the next one. `prepared` is undefined for a part without blocks. When a part fails, the parts before it are
 * committed and nothing is left running. Throws what `commit` throws, and the errors of WorldStateWriter.prepare.
 */
export async function applyInParts<B extends AtomicBlocks>(
  worldState: Pick<WorldStateWriter, "begin">,
  parts: readonly B[][],
  commit: (part: B[], prepared: PreparedBlocks | undefined) => void,
): Promise<void> {
  let last: BlocksInHashing | undefined;
  const begin = (part: B[] | undefined): BlocksInHashing | undefined => {
    const effects = part?.flatMap(({ effects }) => effects) ?? [];
    if (effects.length === 0) return undefined;
    try {
      last = worldState.begin(effects, last);
      return last;
    } catch (error) {
      const hashed = Promise.reject(error);
      hashed.catch(() => undefined);
      return { first: 0, last: 0, underWay: Promise.resolve(), hashed };
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
