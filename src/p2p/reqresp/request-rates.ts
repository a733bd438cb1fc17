import { BucketMap, RateLimit } from "../../events/rate-limit.ts";
import type { ProtocolRow } from "./protocols.ts";

type RateVerdict = "allowed" | "peer limit" | "overall limit";

const quotaPerSecond = (quota: number) => ({ perSecond: quota, burst: quota });

/**
 * Limits the requests of one protocol, for each peer and overall. A refused request uses up neither quota, so that one
 * peer cannot spend the quota of all. Peers are forgotten as soon as they have their full quota again, within a second
 * of their last allowed request; so there are at most about twice as many as the overall quota.
 */
export class RequestRates {
  readonly #buckets = new BucketMap();
  readonly #perPeer: RateLimit;
  readonly #overall: RateLimit;

  constructor({ perPeer, overall }: Pick<ProtocolRow, "perPeer" | "overall">, now?: () => number) {
    this.#perPeer = new RateLimit(quotaPerSecond(perPeer), this.#buckets, now);
    this.#overall = new RateLimit(quotaPerSecond(overall), undefined, now);
  }

  /** Number of peers with less than their full quota. */
  get size(): number {
    return this.#buckets.size;
  }

  take(peer: string): RateVerdict {
    if (this.#perPeer.wait(peer) > 0) return "peer limit";
    if (!this.#overall.take()) return "overall limit";
    this.#perPeer.take(peer);
    return "allowed";
  }
}
