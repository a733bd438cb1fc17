import { dropOldest } from "../../storage/drop-oldest.ts";
import type { DiscoveredPeer } from "../discovery/peer-discovery.ts";

const MAX_ATTEMPTS = 3;
const MAX_CACHED = 100;
const CACHED_FOR_MS = 5 * 60_000;
const TIMED_OUT_FOR_MS = 5 * 60_000;
const MAX_TIMED_OUT = 10_000;

export interface CachedPeer {
  peer: DiscoveredPeer;
  attempts: number;
  /** Unix milliseconds. */
  addedAt: number;
}

/**
 * Peers that may be dialled: found by discovery while no connection was wanted, or failed to be dialled fewer than
 * three times. A peer that failed three times is left alone for five minutes.
 */
export class DialQueue {
  readonly #cached = new Map<string, CachedPeer>();
  /** Peer id to the time in Unix milliseconds until which it is not dialled. */
  readonly #timedOut = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#cached.size;
  }

  isTimedOut(id: string): boolean {
    return (this.#timedOut.get(id) ?? 0) > this.#now();
  }

  has(id: string): boolean {
    return this.#cached.has(id);
  }

  cached(): CachedPeer[] {
    return [...this.#cached.values()];
  }

  /** Beyond 100 peers the oldest is dropped. */
  add(peer: DiscoveredPeer, attempts = 0): void {
    this.#cached.delete(peer.id);
    this.#cached.set(peer.id, { peer, attempts, addedAt: this.#now() });
    dropOldest(this.#cached, MAX_CACHED);
  }

  /** Removes and returns up to `count` peers, newest first, leaving out those that `skip` matches. */
  take(count: number, skip: (id: string) => boolean): CachedPeer[] {
    const oldest = this.#now() - CACHED_FOR_MS;
    for (const [id, { addedAt }] of this.#cached) if (addedAt < oldest || skip(id)) this.#cached.delete(id);
    const taken = [...this.#cached.values()].reverse().slice(0, count);
    for (const { peer } of taken) this.#cached.delete(peer.id);
    return taken;
  }

  succeeded(id: string): void {
    this.#cached.delete(id);
  }

  failed({ peer, attempts }: Pick<CachedPeer, "peer" | "attempts">): void {
    if (attempts + 1 < MAX_ATTEMPTS) {
      this.add(peer, attempts + 1);
      return;
    }
    this.rest(peer.id);
  }

  /** Does not dial a peer for five minutes. */
  rest(id: string): void {
    this.#cached.delete(id);
    this.#timedOut.set(id, this.#now() + TIMED_OUT_FOR_MS);
    dropOldest(this.#timedOut, MAX_TIMED_OUT);
  }

  /** Forgets time-outs that are over. */
  expire(): void {
    for (const [id, until] of this.#timedOut) if (until <= this.#now()) this.#timedOut.delete(id);
  }
}
