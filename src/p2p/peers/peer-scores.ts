import type { Tolerance } from "../../mempool/validation/gossip-checks.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { PeerPenalties } from "./penalties.ts";

/** Below the first a peer is disconnected, below the second it is banned. */
const DISCONNECT_BELOW = -50;
const BAN_BELOW = -100;
const DECAY_PER_MINUTE = 0.9;
const MINUTE_MS = 60_000;
/** A score that decayed this far is forgotten. */
const FORGET_ABOVE = -0.01;
/** Peers with a score at most; the ones closest to zero are forgotten first. */
const MAX_SCORED_PEERS = 20_000;

export type PeerHealth = "healthy" | "disconnect" | "banned";

interface Score {
  value: number;
  /** Unix milliseconds of the last decay. */
  decayedAt: number;
}

interface PeerScoresOptions {
  /** Three penalties; the smallest is that of high tolerance. */
  penalties: readonly number[];
  now(): number;
  logger: Logger;
}

/**
 * Application scores of peers: zero, lowered by penalties, decaying by a tenth each minute
 * (docs/protocol/10-peers.md#108-scoring). Scores are kept in memory only.
 */
export class PeerScores implements PeerPenalties {
  readonly #scores = new Map<string, Score>();
  readonly #penalties: Record<Tolerance, number>;
  readonly #now: () => number;
  readonly #logger: Logger;

  constructor({ penalties, now, logger }: PeerScoresOptions) {
    const [high, mid, low] = [...penalties].sort((a, b) => a - b);
    this.#penalties = { high, mid, low };
    this.#now = now;
    this.#logger = logger;
  }

  /** Peers with a score other than zero. */
  get count(): number {
    return this.#scores.size;
  }

  penalize(peer: string, tolerance: Tolerance, reason: string): void {
    this.#decay(peer);
    const value = (this.#scores.get(peer)?.value ?? 0) - this.#penalties[tolerance];
    // Written anew so that the map is ordered by the time of the last penalty.
    const decayedAt = this.#scores.get(peer)?.decayedAt ?? this.#now();
    this.#scores.delete(peer);
    this.#scores.set(peer, { value, decayedAt });
    this.#logger.debug({ peer, tolerance, score: value, reason }, "penalized peer {peer}: {reason}");
    if (this.#scores.size > MAX_SCORED_PEERS) this.#forgetOne();
  }

  /** The score after its decay; 0 for an unknown peer. */
  score(peer: string): number {
    this.#decay(peer);
    return this.#scores.get(peer)?.value ?? 0;
  }

  health(peer: string): PeerHealth {
    const score = this.score(peer);
    if (score < BAN_BELOW) return "banned";
    return score < DISCONNECT_BELOW ? "disconnect" : "healthy";
  }

  decayAll(): void {
    for (const peer of [...this.#scores.keys()]) this.#decay(peer);
  }

  /** Applies the decay of whole minutes. */
  #decay(peer: string): void {
    const score = this.#scores.get(peer);
    if (score === undefined) return;
    const minutes = Math.floor((this.#now() - score.decayedAt) / MINUTE_MS);
    if (minutes <= 0) return;
    score.value *= DECAY_PER_MINUTE ** minutes;
    score.decayedAt += minutes * MINUTE_MS;
    if (score.value > FORGET_ABOVE) this.#scores.delete(peer);
  }

  /** Forgets the highest score among the hundred that were penalized longest ago. */
  #forgetOne(): void {
    let found: string | undefined;
    let highest = Number.NEGATIVE_INFINITY;
    let looked = 0;
    for (const [peer, { value }] of this.#scores) {
      if (value > highest) {
        found = peer;
        highest = value;
      }
      if (++looked === 100) break;
    }
    if (found !== undefined) this.#scores.delete(found);
  }
}
