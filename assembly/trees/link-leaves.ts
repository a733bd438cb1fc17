import { sameKey, sortByKey } from "./sort-keys";

/**
 * Links n new keys into the sorted list of an indexed tree (docs/protocol/02-trees.md#29-batch-insertion and
 * docs/protocol/02-trees.md#210-order-of-insertion). Keys that share their low leaf are neighbours in sorted order: the
 * low leaf points to the first, each to the next, and the last takes the low leaf's old pointers. Positions and indexes
 * are eight opaque bytes each.
 *
 *   keys n x 32 | positions n x 8 | lows n x 8 | lowNextKeys n x 32 | lowNextIndexes n x 8 | order 2 x n x 4, scratch
 *   -> nextKeys n x 32 | nextIndexes n x 8 | heads n x 4: input numbers of the first key of each low leaf
 *
 * @returns the number of heads, or -1 - i when the key of input i occurs twice.
 */
export function linkLeaves(
  n: u32,
  keys: usize,
  positions: usize,
  lows: usize,
  lowNextKeys: usize,
  lowNextIndexes: usize,
  order: usize,
  nextKeys: usize,
  nextIndexes: usize,
  heads: usize,
): i32 {
  const sorted = sortByKey(keys, n, order);
  let headCount: i32 = 0;
  for (let r: usize = 0; r < n; r++) {
    const i: usize = load<u32>(sorted + (r << 2));
    const low = load<u64>(lows + (i << 3));
    if (r == 0 || low != load<u64>(lows + (<usize>load<u32>(sorted + ((r - 1) << 2)) << 3))) {
      store<u32>(heads + (headCount << 2), <u32>i);
      headCount++;
    }
    let nextKey = lowNextKeys + (i << 5);
    let nextIndex = lowNextIndexes + (i << 3);
    if (r + 1 < n) {
      const next: usize = load<u32>(sorted + ((r + 1) << 2));
      if (sameKey(keys, <u32>i, <u32>next)) return -1 - <i32>next;
      if (low == load<u64>(lows + (next << 3))) {
        nextKey = keys + (next << 5);
        nextIndex = positions + (next << 3);
      }
    }
    memory.copy(nextKeys + (i << 5), nextKey, 32);
    store<u64>(nextIndexes + (i << 3), load<u64>(nextIndex));
  }
  return headCount;
}
