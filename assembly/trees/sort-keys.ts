/** Keys are big-endian words, so eight swapped bytes compare as one number. */
@inline
function part(keys: usize, i: u32, at: usize): u64 {
  return bswap(load<u64>(keys + (<usize>i << 5) + at));
}

function lessThan(keys: usize, a: u32, b: u32): bool {
  for (let at: usize = 0; at < 32; at += 8) {
    const x = part(keys, a, at);
    const y = part(keys, b, at);
    if (x != y) return x < y;
  }
  return false;
}

export function sameKey(keys: usize, a: u32, b: u32): bool {
  return memory.compare(keys + (<usize>a << 5), keys + (<usize>b << 5), 32) == 0;
}

/**
 * Numbers 0 .. n-1 in ascending order of their keys, equal keys in input order. Bottom-up merge sort between two rows.
 *
 *   keys n x 32 | rows 2 x n x u32, scratch
 *
 * @returns the row that holds the result.
 */
export function sortByKey(keys: usize, n: u32, rows: usize): usize {
  let from = rows;
  let to = rows + (<usize>n << 2);
  for (let i: u32 = 0; i < n; i++) store<u32>(from + (<usize>i << 2), i);
  for (let run: u32 = 1; run < n; run <<= 1) {
    for (let start: u32 = 0; start < n; start += run << 1) {
      const middle = min(start + run, n);
      const end = min(middle + run, n);
      let left = start;
      let right = middle;
      for (let i = start; i < end; i++) {
        const a = load<u32>(from + (<usize>left << 2));
        const b = load<u32>(from + (<usize>right << 2));
        const takeRight = left == middle || (right < end && lessThan(keys, b, a));
        store<u32>(to + (<usize>i << 2), takeRight ? b : a);
        if (takeRight) right++;
        else left++;
      }
    }
    const swap = from;
    from = to;
    to = swap;
  }
  return from;
}
