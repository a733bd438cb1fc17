import type { Libp2p, PeerId } from "@libp2p/interface";
import { peerIdFromString } from "@libp2p/peer-id";
import { multiaddr } from "@multiformats/multiaddr";
import { Listeners } from "../../events/listeners.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { remoteIp } from "../host/remote-ip.ts";
import type { ConnectedPeer, PeerHost } from "./peer-host.ts";

/** The connections of a libp2p host, one per peer: the oldest stands for all. */
export function libp2pPeerHost(libp2p: Libp2p, logger: Logger): PeerHost {
  const failed = (error: unknown) => logger.error({ err: error }, "a listener of connections failed");
  const connects = new Listeners<[string]>(failed);
  const disconnects = new Listeners<[string]>(failed);
  libp2p.addEventListener("peer:connect", ({ detail }: CustomEvent<PeerId>) => connects.emit(detail.toString()));
  libp2p.addEventListener("peer:disconnect", ({ detail }: CustomEvent<PeerId>) => disconnects.emit(detail.toString()));

  return {
    id: libp2p.peerId.toString(),
    peers() {
      const peers = new Map<string, ConnectedPeer>();
      for (const connection of libp2p.getConnections()) {
        const id = connection.remotePeer.toString();
        const since = connection.timeline.open;
        const known = peers.get(id);
        if (known !== undefined && known.since <= since) continue;
        peers.set(id, { id, ip: remoteIp(connection), since, inbound: connection.direction === "inbound" });
      }
      return [...peers.values()];
    },
    isConnected: (id) => libp2p.getConnections(peerIdFromString(id)).length > 0,
    dials: () =>
      libp2p.getDialQueue().flatMap(({ peerId, status, multiaddrs }) => {
        if (peerId === undefined) return [];
        return [{ id: peerId.toString(), status, addresses: multiaddrs.map((address) => address.toString()) }];
      }),
    async dial(id, address, signal) {
      await libp2p.dial(multiaddr(`${address}/p2p/${id}`), { signal });
    },
    hangUp: (id) => libp2p.hangUp(peerIdFromString(id), { signal: AbortSignal.timeout(5_000) }),
    onConnect: (listener) => connects.add(listener),
    onDisconnect: (listener) => disconnects.add(listener),
  };
}
