import { dropOldest } from "../storage/drop-oldest.ts";

export interface Rate {
  perSecond: number;
  burst: number;
}

/** Admits `burst` at once and `perSecond` on average. Times are milliseconds of one clock. */
export class TokenBucket {
  readonly #rate: Rate;
  #tokens: number;
  #at = Number.NEGATIVE_INFINITY;

  constructor(rate: Rate) {
    this.#rate = rate;
    this.#tokens = rate.burst;
  }

  take(now: number): boolean {
    const { perSecond, burst } = this.#rate;
    this.#tokens = Math.min(burst, this.#tokens + (Math.max(0, now - this.#at) / 1000) * perSecond);
    this.#at = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}

/** One bucket for each of the last `sources` sources. */
export class SourceBuckets {
  readonly #buckets = new Map<string, TokenBucket>();
  readonly #rate: Rate;
  readonly #sources: number;

  constructor(rate: Rate, sources: number) {
    this.#rate = rate;
    this.#sources = sources;
  }

  get size(): number {
    return this.#buckets.size;
  }

  take(source: string, now: number): boolean {
    let bucket = this.#buckets.get(source);
    if (bucket === undefined) {
      bucket = new TokenBucket(this.#rate);
      this.#buckets.set(source, bucket);
      dropOldest(this.#buckets, this.#sources);
    }
    return bucket.take(now);
  }
}
