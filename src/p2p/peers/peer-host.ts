/** A connected peer; several connections to one peer count as one. */
export interface ConnectedPeer {
  id: string;
  /** Text of the remote IP address. */
  ip: string | undefined;
  /** Unix milliseconds. */
  since: number;
  /** Whether the peer dialled this node. */
  inbound: boolean;
}

export interface DialInProgress {
  id: string;
  status: string;
  addresses: string[];
}

/** Connections of the libp2p host, by peer ids as text. */
export interface PeerHost {
  readonly id: string;
  peers(): ConnectedPeer[];
  isConnected(id: string): boolean;
  dials(): DialInProgress[];
  /** `address` is the multiaddr text of a TCP address. */
  dial(id: string, address: string, signal: AbortSignal): Promise<void>;
  hangUp(id: string): Promise<void>;
  /** Called when the first connection to a peer opens. Returns an unsubscribe function. */
  onConnect(listener: (id: string) => void): () => void;
  /** Called when the last connection to a peer closes. Returns an unsubscribe function. */
  onDisconnect(listener: (id: string) => void): () => void;
}
