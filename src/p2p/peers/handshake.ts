/** Outcome of a handshake; `reason` says why the peer is disconnected. */
export type HandshakeOutcome = { passed: true } | { passed: false; reason: string };

/** Checks that a newly connected peer is of this network (docs/protocol/10-peers.md#1017-peer-manager). */
export interface Handshake {
  /** Never rejects. */
  check(peer: string): Promise<HandshakeOutcome>;
}
