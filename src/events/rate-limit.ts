/** `burst` at once, and `perSecond` in the long run. */
export interface Rate {
  perSecond: number;
  burst: number;
}

/** For each key the time, in milliseconds, at which its bucket will be full again. An absent one is full. */
export interface BucketStore {
  get(key: string, now: number): number;
  /** Replaces a time by what `change` makes of it. False if that is undefined: the time stays. */
  update(key: string, now: number, change: (full: number) => number | undefined): boolean;
}

/** Part of one token that makes up for rounding. */
const ROUNDING = 1e-3;

/**
 * Token buckets by the generic cell rate algorithm (ITU-T I.371): a bucket is kept as the time at which it will be full
 * again. What is refused takes nothing.
 */
export class RateLimit {
  readonly #rate: Rate;
  /** Milliseconds in which one token comes back. */
  readonly #interval: number;
  readonly #buckets: BucketStore;
  readonly #now: () => number;

  /** A single bucket by default. `now` gives milliseconds of a clock that never goes back. */
  constructor(
    rate: Rate,
    buckets: BucketStore = new SingleBucket(),
    now: () => number = performance.now.bind(performance),
  ) {
    this.#rate = rate;
    this.#interval = 1000 / rate.perSecond;
    this.#buckets = buckets;
    this.#now = now;
  }

  /** Takes `tokens` if `needed` are there: with fewer needed than taken, a bucket may be overdrawn. */
  take(key = "", tokens = 1, needed = tokens): boolean {
    const now = this.#now();
    return this.#buckets.update(key, now, (full) =>
      this.#lacking(full, now, needed) > 0 ? undefined : Math.max(full, now) + tokens * this.#interval,
    );
  }

  /** Milliseconds until a token is there; 0 or less if one is. */
  wait(key = ""): number {
    const now = this.#now();
    return this.#lacking(this.#buckets.get(key, now), now, 1);
  }

  #lacking(full: number, now: number, needed: number): number {
    return Math.max(full - now, 0) - (this.#rate.burst - needed + ROUNDING) * this.#interval;
  }
}

class SingleBucket implements BucketStore {
  #full = Number.NEGATIVE_INFINITY;

  get(): number {
    return this.#full;
  }

  update(_key: string, _now: number, change: (full: number) => number | undefined): boolean {
    const next = change(this.#full);
    if (next === undefined) return false;
    this.#full = next;
    return true;
  }
}

/** Buckets of one thread, by key. Full ones are forgotten; beyond `most`, those from which was least lately taken. */
export class BucketMap implements BucketStore {
  /** In the order in which was taken from them last. */
  readonly #full = new Map<string, number>();
  readonly #most: number;

  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  get size(): number {
    return this.#full.size;
  }

  get(key: string): number {
    return this.#full.get(key) ?? Number.NEGATIVE_INFINITY;
  }

  update(key: string, now: number, change: (full: number) => number | undefined): boolean {
    const next = change(this.get(key));
    if (next !== undefined) {
      this.#full.delete(key);
      this.#full.set(key, next);
    }
    for (const [oldest, full] of this.#full) {
      if (full > now && this.#full.size <= this.#most) break;
      this.#full.delete(oldest);
    }
    return next !== undefined;
  }
}
