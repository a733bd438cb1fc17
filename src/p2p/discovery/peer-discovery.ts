/** A peer found by discovery or configured, with the addresses of its record. */
export interface DiscoveredPeer {
  /** Peer id as text (16Uiu2...). */
  id: string;
  /** Multiaddr text of the TCP address, /ip4/../tcp/..; undefined if the record has none. */
  address: string | undefined;
  /** Text of the record, enr:... */
  enr: string;
}

/** Finds peers by their node records (docs/protocol/10-peers.md#104-discovery). */
export interface PeerDiscovery {
  /** Text of the node's own record, enr:... */
  readonly enr: string;
  /** Calls `listener` for each record that passes the version check. Returns an unsubscribe function. */
  onPeer(listener: (peer: DiscoveredPeer) => void): () => void;
  /** Looks for a random node. Resolves when the lookup is over; never rejects. */
  query(): Promise<void>;
  /** Rejects with an OperatorError when the port is taken. */
  start(): Promise<void>;
  stop(): Promise<void>;
}
