import type { SignableENR } from "@chainsafe/enr";

/** A peer found by discovery or configured, with the addresses of its record. */
export interface DiscoveredPeer {
  /** Peer id as text (16Uiu2...). */
  id: string;
  /** Multiaddr text of the TCP address, /ip4/../tcp/..; undefined if the record has none. */
  address: string | undefined;
  /** Text of the record, enr:... */
  enr: string;
}

/** Finds peers by their node records (docs/protocol/10-peers.md). */
export interface PeerDiscovery {
  readonly record: SignableENR;
  /** Calls `listener` for each record that passes the version check. Returns an unsubscribe function. */
  onPeer(listener: (peer: DiscoveredPeer) => void): () => void;
  /** Starts one lookup of a random node. */
  query(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}
