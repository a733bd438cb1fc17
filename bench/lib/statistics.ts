/** The middle value, or the mean of the two middle values. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError("a median needs at least one value");
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Nearest-rank percentile of ascending values, `p` in 0 .. 100. */
export function percentile(sorted: ArrayLike<number>, p: number): number {
  if (sorted.length === 0) throw new RangeError("a percentile needs at least one value");
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil((p / 100) * sorted.length) - 1))];
}

export interface Spread {
  median: number;
  min: number;
  max: number;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** One repeat of a comparison: both sides are measured right after each other, in alternating order. */
export interface Pair {
  ours: number;
  theirs: number;
}

/** Ratio of each pair: a slow moment of the machine affects both sides of a pair, but not its ratio. */
export function ratiosOf(pairs: readonly Pair[]): number[] {
  return pairs.map(({ ours, theirs }) => ours / theirs);
}

/** Runs two measurements `repeats` times in pairs; the sides alternate in going first. */
export async function inPairs<A, B>(
  repeats: number,
  ours: (repeat: number) => Promise<A> | A,
  theirs: (repeat: number) => Promise<B> | B,
): Promise<{ ours: A; theirs: B }[]> {
  const pairs: { ours: A; theirs: B }[] = [];
  for (let i = 0; i < repeats; i++) {
    if (i % 2 === 0) {
      const first = await ours(i);
      pairs.push({ ours: first, theirs: await theirs(i) });
    } else {
      const first = await theirs(i);
      pairs.push({ ours: await ours(i), theirs: first });
    }
  }
  return pairs;
}
