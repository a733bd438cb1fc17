/**
 * Peers answer ten requests of a protocol in a second, and as many at once; a node that asks more often loses points
 * with them.
 */
const PACE_MS = 110;
const BURST = 5;
/** Peers whose allowance is full are forgotten from this number on. */
const MAX_PEERS = 1000;

/** When each peer may be asked again, over all searches. Times are those of performance.now(). */
export class RequestPace {
  /** Time at which the allowance of a peer is full again. */
  readonly #fullAt = new Map<string, number>();

  /** The earliest time for the next request. */
  nextAt(peer: string): number {
    return (this.#fullAt.get(peer) ?? 0) - (BURST - 1) * PACE_MS;
  }

  /** Counts a request. */
  take(peer: string, now: number): void {
    this.#fullAt.set(peer, Math.max(this.#fullAt.get(peer) ?? 0, now) + PACE_MS);
    if (this.#fullAt.size <= MAX_PEERS) return;
    for (const [id, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(id);
  }
}
