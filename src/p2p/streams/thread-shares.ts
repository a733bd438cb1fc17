/** A share of the thread's time, and how many milliseconds of the clock it may be ahead of it. */
interface Share {
  share: number;
  aheadMs: number;
}

/** For the input of all peers together. */
const OVERALL: Share = { share: 0.5, aheadMs: 500 };
/** For each peer while all together use more than theirs. */
const PER_PEER: Share = { share: 0.05, aheadMs: 1_000 };
/** Longest pause of a peer, in milliseconds. */
const MAX_PAUSE_MS = 2_000;

/**
 * Divides the time in which input is handled. A peer that uses more than its share pauses while all peers together use
 * more than theirs; alone it may use all of that.
 */
export class ThreadShares {
  readonly #overall: number;
  readonly #now: () => number;
  #overallDue = 0;
  /** When the used time of a peer would be over at its share's pace, in the order of the last use. */
  readonly #due = new Map<string, number>();

  /** `overall` is the share of all peers together, by default half of the thread. `now` tells milliseconds. */
  constructor({ overall = OVERALL.share, now = () => performance.now() } = {}) {
    this.#overall = overall;
    this.#now = now;
  }

  /** Peers that used time lately. */
  get size(): number {
    return this.#due.size;
  }

  /** Charges `usedMs` to a peer. Returns the milliseconds that it must pause. */
  use(peer: string, usedMs: number): number {
    const now = this.#now();
    this.#overallDue = Math.max(this.#overallDue, now) + usedMs / this.#overall;
    const due = Math.max(this.#due.get(peer) ?? 0, now) + usedMs / PER_PEER.share;
    this.#due.delete(peer);
    this.#due.set(peer, due);
    for (const [other, until] of this.#due) {
      if (until > now) break;
      this.#due.delete(other);
    }
    const overall = this.#overallDue - now - OVERALL.aheadMs;
    return Math.min(overall, due - now - PER_PEER.aheadMs, MAX_PAUSE_MS);
  }
}
