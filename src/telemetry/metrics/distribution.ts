import { bucketOf, type Distribution } from "./metrics.ts";

/** Counts values by bucket, for subsystems whose values are read when metrics are collected. */
export class DistributionCounter {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  /** Upper bounds of the buckets, ascending. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  record(value: number): void {
    this.#counts[bucketOf(this.#bounds, value)]++;
    this.#sum += value;
  }

  read(): Distribution {
    return { counts: [...this.#counts], sum: this.#sum };
  }
}
