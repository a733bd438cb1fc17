/**
 * Merges of a list as the circuits expect them: the largest power of two below the number of items goes left, the rest
 * right, and so on. Returns what stays for the circuit above: one item, or the two halves.
 */
export function mergeHalves<T>(items: readonly T[], merge: (left: T, right: T) => T): T[] {
  if (items.length < 2) return [...items];
  const fold = (from: number, count: number): T => {
    if (count === 1) return items[from];
    const half = leftHalf(count);
    return merge(fold(from, half), fold(from + half, count - half));
  };
  const half = leftHalf(items.length);
  return [fold(0, half), fold(half, items.length - half)];
}

function leftHalf(count: number): number {
  let half = 1;
  while (half * 2 < count) half *= 2;
  return half;
}
