import type { RequestPace } from "./request-pace.ts";

/**
 * `pinned`: sent the proposal, so it should have all txs. `smart`: said which txs of the block it has. `dumb`: the
 * others.
 */
type PeerRole = "pinned" | "smart" | "dumb";

export interface AskedPeer {
  readonly id: string;
  role: PeerRole;
  /** Indices of the block's txs that it says it has. */
  available: ReadonlySet<number>;
}

interface PeerState extends AskedPeer {
  failures: number;
  /** Answers in a row without a missing tx. */
  useless: number;
  isBusy: boolean;
  /** Time of performance.now() before which it is not asked again. */
  restsUntil: number;
}

/** After an answer without a missing tx; doubles with each further one. */
const REST_MS = 250;
/** The longest rest, and that after an answer that says to wait. */
const MAX_REST_MS = 1000;

/** The peers that one search asks: who is free to be asked, and who failed too often. */
export class AskedPeers {
  readonly #pinned: string | undefined;
  readonly #badThreshold: number;
  readonly #pace: RequestPace;
  readonly #peers = new Map<string, PeerState>();

  constructor(pinned: string | undefined, badThreshold: number, pace: RequestPace) {
    this.#pinned = pinned;
    this.#badThreshold = badThreshold;
    this.#pace = pace;
  }

  /** Takes over who is connected now. A peer that is not is forgotten, except for its failures while it is asked. */
  connected(ids: readonly string[]): void {
    const now = new Set(ids);
    for (const [id, { isBusy }] of this.#peers) if (!now.has(id) && !isBusy) this.#peers.delete(id);
    for (const id of ids) {
      if (this.#peers.has(id)) continue;
      const role = id === this.#pinned ? "pinned" : "dumb";
      this.#peers.set(id, {
        id,
        role,
        available: new Set(),
        failures: 0,
        useless: 0,
        isBusy: false,
        restsUntil: 0,
      });
    }
  }

  /** Peers of a role that can be asked now, so that at most `limit` of them are; those not asked for longest first. */
  free(role: PeerRole, limit: number, now: number): AskedPeer[] {
    const usable = [...this.#peers.values()].filter((peer) => peer.role === role && !this.#isBad(peer));
    const busy = usable.filter(({ isBusy }) => isBusy).length;
    return usable
      .filter((peer) => !peer.isBusy && this.#freeAt(peer) <= now)
      .sort((a, b) => this.#freeAt(a) - this.#freeAt(b))
      .slice(0, Math.max(0, limit - busy));
  }

  /** When the next resting peer can be asked; infinite if none rests. */
  nextFreeAt(now: number): number {
    const rests = [...this.#peers.values()].filter((peer) => !peer.isBusy && !this.#isBad(peer));
    return Math.min(...rests.map((peer) => this.#freeAt(peer)).filter((at) => at > now));
  }

  #freeAt({ id, restsUntil }: PeerState): number {
    return Math.max(restsUntil, this.#pace.nextAt(id));
  }

  begin(peer: AskedPeer, now: number): void {
    const state = this.#state(peer);
    state.isBusy = true;
    this.#pace.take(peer.id, now);
  }

  end(peer: AskedPeer, now: number, wasUseful: boolean): void {
    const state = this.#state(peer);
    state.isBusy = false;
    state.useless = wasUseful ? 0 : state.useless + 1;
    if (wasUseful) return;
    const restMs = Math.min(REST_MS * 2 ** (state.useless - 1), MAX_REST_MS);
    state.restsUntil = Math.max(state.restsUntil, now + restMs);
  }

  failed(peer: AskedPeer): void {
    this.#state(peer).failures++;
  }

  succeeded(peer: AskedPeer): void {
    this.#state(peer).failures = 0;
  }

  rateLimited(peer: AskedPeer, now: number): void {
    this.#state(peer).restsUntil = now + MAX_REST_MS;
  }

  #isBad({ failures }: PeerState): boolean {
    return failures > this.#badThreshold;
  }

  #state(peer: AskedPeer): PeerState {
    return peer as PeerState;
  }
}
