import type { ProtocolRow } from "./protocols.ts";

/** Milliseconds in which a quota may be used once more. */
const WINDOW_MS = 1000;

export type RateVerdict = "allowed" | "peer limit" | "overall limit";

/**
 * Generic cell rate algorithm (ITU-T I.371): bursts up to the quota, then one request per window/quota. `tat` is the
 * theoretical arrival time: when the next request is due if requests came evenly.
 */
function nextArrival(tat: number, quota: number, now: number): number | undefined {
  const interval = WINDOW_MS / quota;
  const due = Math.max(tat, now);
  return due - now > WINDOW_MS - interval + 1e-6 ? undefined : due + interval;
}

/**
 * Limits the requests of one protocol, for each peer and overall. A refused request uses up neither quota, so that one
 * peer cannot spend the quota of all. Peers are forgotten as soon as they have their full quota again, within a window
 * of their last allowed request; so there are at most about twice as many as the overall quota.
 */
export class RateLimit {
  readonly #perPeer: number;
  readonly #overall: number;
  readonly #now: () => number;
  #overallTat = 0;
  /** Arrival times by peer, in the order of the last allowed request. */
  readonly #peers = new Map<string, number>();

  constructor(
    { perPeer, overall }: Pick<ProtocolRow, "perPeer" | "overall">,
    now: () => number = performance.now.bind(performance),
  ) {
    this.#perPeer = perPeer;
    this.#overall = overall;
    this.#now = now;
  }

  /** Number of peers with less than their full quota. */
  get size(): number {
    return this.#peers.size;
  }

  take(peer: string): RateVerdict {
    const now = this.#now();
    this.#forget(now);
    const peerTat = nextArrival(this.#peers.get(peer) ?? 0, this.#perPeer, now);
    if (peerTat === undefined) return "peer limit";
    const overallTat = nextArrival(this.#overallTat, this.#overall, now);
    if (overallTat === undefined) return "overall limit";
    this.#peers.delete(peer);
    this.#peers.set(peer, peerTat);
    this.#overallTat = overallTat;
    return "allowed";
  }

  #forget(now: number): void {
    for (const [peer, tat] of this.#peers) {
      if (tat > now) return;
      this.#peers.delete(peer);
    }
  }
}
