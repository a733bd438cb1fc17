import type { GossipSubComponents } from "@libp2p/gossipsub";
import { identify, identifyPush } from "@libp2p/identify";
import type { Libp2p, PrivateKey } from "@libp2p/interface";
import { noise } from "@libp2p/noise";
import { peerIdFromString } from "@libp2p/peer-id";
import { tcp } from "@libp2p/tcp";
import { createLibp2p } from "libp2p";
import type { GossipRouter } from "../patches/gossipsub/gossip-router.ts";
import { guardMuxerChoice } from "../patches/multistream-select.ts";
import { boundedYamux } from "../patches/yamux.ts";
import { BoundedDatastore } from "./bounded-datastore.ts";
import { connectionGater, type Refusals } from "./connection-gater.ts";
import { ConnectionTurns } from "./connection-turns.ts";
import { HalfOpenConnections } from "./half-open.ts";
import { remoteIp } from "./remote-ip.ts";

export interface HostOptions {
  privateKey: PrivateKey;
  /** Multiaddr text, /ip4/../tcp/.. */
  listen: readonly string[];
  /** Addresses that peers are told; those listened on if empty. */
  announce: readonly string[];
  maxPeers: number;
  /** Name and version of this software, told to peers. */
  userAgent: string;
  refuses: Refusals;
  /** False where many peers may share an address, as on test networks. */
  limitPerAddress: boolean;
  gossip(parts: GossipSubComponents): GossipRouter;
}

export type Host = Libp2p<{ gossip: GossipRouter }>;

/** Replaces libp2p's default prefix: peers of the network find each other's protocols only under this one. */
const IDENTIFY = { protocolPrefix: "aztec" } as const;
/** Connections that the system holds until they are accepted; with few, a burst of dials delays honest ones. */
const BACKLOG = 128;
/** Peers whose addresses are remembered. */
const REMEMBERED_PEERS = 4096;
/** Inbound connections whose handshake is not complete, in all. */
const MAX_HALF_OPEN = 256;
/** Time for the handshake of an inbound connection, in milliseconds. */
const HANDSHAKE_MS = 5_000;
/** Inbound connections from one IP address: in all, with an incomplete handshake, and new ones per second. */
const PER_ADDRESS = { connections: 16, halfOpen: 8, perSecond: 5 };
const UNLIMITED_PER_ADDRESS = { connections: Number.POSITIVE_INFINITY, halfOpen: MAX_HALF_OPEN, perSecond: 1_000 };

function guardedNoise(parts: Parameters<ReturnType<typeof noise>>[0]) {
  return guardMuxerChoice(noise()(parts), "/yamux/1.0.0");
}

/** Creates the libp2p host, not started, so that protocols can be registered before the first peer connects. */
export async function createHost(options: HostOptions): Promise<Host> {
  const { privateKey, listen, announce, maxPeers, userAgent, refuses, limitPerAddress, gossip } = options;
  const perAddress = limitPerAddress ? PER_ADDRESS : UNLIMITED_PER_ADDRESS;
  let host: Host | undefined;
  const inbound = () => (host?.getConnections() ?? []).filter(({ direction }) => direction === "inbound");
  host = await createLibp2p({
    start: false,
    privateKey,
    nodeInfo: { userAgent },
    addresses: { listen: [...listen], announce: [...announce] },
    transports: [tcp({ maxConnections: 2 * (maxPeers + MAX_HALF_OPEN), backlog: BACKLOG })],
    connectionEncrypters: [guardedNoise],
    streamMuxers: [boundedYamux(() => host?.getProtocols() ?? [])],
    connectionManager: {
      maxConnections: 2 * maxPeers,
      maxParallelDials: 100,
      dialTimeout: 30_000,
      maxPeerAddrsToDial: 5,
      // Above the limit of half-open connections, at which the oldest is ended.
      maxIncomingPendingConnections: 2 * MAX_HALF_OPEN,
      inboundUpgradeTimeout: HANDSHAKE_MS,
      inboundConnectionThreshold: perAddress.perSecond,
    },
    // It would ping with a protocol that no peer of the network offers.
    connectionMonitor: { enabled: false },
    connectionGater: connectionGater({
      refuses,
      maxPerAddress: perAddress.connections,
      turns: new ConnectionTurns({ perAddress: limitPerAddress }),
      halfOpen: new HalfOpenConnections({ overall: MAX_HALF_OPEN, perAddress: perAddress.halfOpen }),
      connectionsWith: (id) => host?.getConnections(peerIdFromString(id)).length ?? 0,
      inboundAddresses: () => inbound().map(remoteIp),
    }),
    datastore: new BoundedDatastore(REMEMBERED_PEERS),
    services: { identify: identify(IDENTIFY), identifyPush: identifyPush(IDENTIFY), gossip },
  });
  return host;
}
