/** A gossiped tx waits so long, in milliseconds, for another one to be hashed with, if one can be expected by then. */
const MAX_WAIT_MS = 60;
/** The same beside busy threads, whether one can be expected or not. */
const BESIDE_BUSY_MS = 5;
/** Part of the mean that a new gap makes up. */
const WEIGHT = 1 / 4;
/** A longer pause says nothing about how txs come after it. */
const MAX_GAP_MS = 1_000;

/**
 * Decides how long a gossiped tx that is alone waits to be hashed together with the next one: as long as the rate of
 * the last ones makes that worth while. A pair takes a quarter less time of the processor than two txs by themselves.
 */
export class PartnerWait {
  #lastAt = Number.NEGATIVE_INFINITY;
  #meanGapMs = MAX_GAP_MS;

  /** A tx arrived at `now`, in milliseconds of a monotonic clock. */
  arrived(now: number): void {
    const gap = Math.min(now - this.#lastAt, MAX_GAP_MS);
    this.#meanGapMs += (gap - this.#meanGapMs) * WEIGHT;
    this.#lastAt = now;
  }

  /** Milliseconds that a tx that is alone waits from its arrival on. */
  longest(allIdle: boolean): number {
    if (this.#meanGapMs < MAX_WAIT_MS) return MAX_WAIT_MS;
    return allIdle ? 0 : BESIDE_BUSY_MS;
  }
}
