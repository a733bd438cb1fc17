import type { ConnectionGater } from "@libp2p/interface";
import { guardAsked, guardAsking } from "../patches/multistream-select.ts";
import type { ConnectionTurns } from "./connection-turns.ts";
import type { HalfOpenConnections } from "./half-open.ts";
import { remoteIp } from "./remote-ip.ts";

/** Why this node does not talk to a peer, decided elsewhere. */
export interface Refusals {
  address(ip: string): boolean;
  /** `id` is a peer id as text. */
  peer(id: string): boolean;
}

interface GaterOptions {
  refuses: Refusals;
  /** Most inbound connections from one IP address. */
  maxPerAddress: number;
  halfOpen: HalfOpenConnections;
  turns: Pick<ConnectionTurns, "guard">;
  /** Open connections with a peer, by its id as text. */
  connectionsWith(id: string): number;
  /** IP addresses of the open inbound connections. */
  inboundAddresses(): Iterable<string | undefined>;
}

/**
 * Open connections with one peer: two when both sides dial at once, and one that is dead but not noticed. More of one
 * key would take the places of other peers.
 */
const MAX_PER_PEER = 3;

/** Protocol of the encryption, the only one that is offered. */
const ENCRYPTION = "/noise";

/** Refuses inbound connections: by IP address before anything is read from them, by peer id after the handshake. */
export function connectionGater({
  refuses,
  maxPerAddress,
  inboundAddresses,
  connectionsWith,
  halfOpen,
  turns,
}: GaterOptions): ConnectionGater {
  return {
    denyInboundConnection(connection) {
      const ip = remoteIp(connection);
      if (ip === undefined) return true;
      if (refuses.address(ip)) return true;
      let open = 0;
      for (const other of inboundAddresses()) if (other === ip) open++;
      if (open >= maxPerAddress || !halfOpen.enter(connection, ip)) return true;
      turns.guard(connection);
      guardAsked(connection, () => [ENCRYPTION]);
      return false;
    },
    denyOutboundConnection(_peer, connection) {
      turns.guard(connection);
      guardAsking(connection);
      return false;
    },
    denyInboundEncryptedConnection: (peer) => refuses.peer(peer.toString()),
    denyInboundUpgradedConnection(peer, connection) {
      halfOpen.leave(connection);
      // Not earlier: handshakes of many connections with one key may be under way at once.
      return connectionsWith(peer.toString()) >= MAX_PER_PEER;
    },
  };
}
