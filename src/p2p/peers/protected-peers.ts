import type { DiscoveredPeer } from "../discovery/peer-discovery.ts";

/** Peers that the operator lists; see docs/protocol/10-peers.md#1017-peer-manager. */
export interface ListedPeers {
  trusted: readonly DiscoveredPeer[];
  private: readonly DiscoveredPeer[];
  preferred: readonly DiscoveredPeer[];
}

/** Peers that are dialled by this node, kept from pruning and exempt from authentication. */
export class ProtectedPeers {
  readonly #peers: ReadonlyMap<string, DiscoveredPeer>;

  constructor(lists: ListedPeers) {
    const all = [...lists.trusted, ...lists.private, ...lists.preferred];
    this.#peers = new Map(all.map((peer) => [peer.id, peer]));
  }

  get size(): number {
    return this.#peers.size;
  }

  has(id: string): boolean {
    return this.#peers.has(id);
  }

  all(): Iterable<DiscoveredPeer> {
    return this.#peers.values();
  }
}
