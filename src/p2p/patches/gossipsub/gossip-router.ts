import type { GossipSub } from "@libp2p/gossipsub";

/** Parts of gossipsub's router that its exported type leaves out. */
export interface GossipRouter extends GossipSub {
  /** Reports the verdict on a message: an accepted one is forwarded if it is still cached. */
  reportMessageValidationResult(key: string, source: string, result: string): void;
  getMeshPeers(topic: string): string[];
  getScore(peer: string): number;
  /** Direct peers, by id as text. */
  readonly direct: Set<string>;
}
