import { peerIdFromString } from "@libp2p/peer-id";
import {
  unwrapInstrumented,
  unwrapMessage,
  wrapInstrumented,
  wrapMessage,
} from "../protocol/consensus/gossip-wrapper.ts";
import type { Logger } from "../telemetry/logger.ts";
import type { PeerDiscovery } from "./discovery/peer-discovery.ts";
import { GossipReceiver } from "./gossip/gossip-receiver.ts";
import { GossipReport } from "./gossip/gossip-report.ts";
import {
  type GossipSettings,
  gossipPublisher,
  gossipService,
  type MeshSettings,
  verdictDeadlineMs,
} from "./gossip/gossip-service.ts";
import type { GossipPublisher, Topic } from "./gossip/publisher.ts";
import { type GossipTopic, type MessageWrapper, topicString } from "./gossip/topic.ts";
import { createHost, type Host } from "./host/create-host.ts";
import type { PeerIdentity } from "./identity/peer-identity.ts";
import { peerStages } from "./peer-stages.ts";
import type { Handshake } from "./peers/handshake.ts";
import { libp2pPeerHost } from "./peers/libp2p-host.ts";
import { PeerConnections } from "./peers/peer-connections.ts";
import type { PeerHost } from "./peers/peer-host.ts";
import { type PeerRule, PeerRules } from "./peers/peer-rules.ts";
import { PeerScores } from "./peers/peer-scores.ts";
import { type ListedPeers, ProtectedPeers } from "./peers/protected-peers.ts";
import { type RequestTimeouts, StreamRequestClient } from "./reqresp/client.ts";
import type { StatusMessage } from "./reqresp/codecs/status-message.ts";
import { goodbyeHandler } from "./reqresp/handlers/goodbye.ts";
import { pingHandler } from "./reqresp/handlers/ping.ts";
import { statusHandler } from "./reqresp/handlers/status.ts";
import { type RequestCounts, requestCounts } from "./reqresp/request-counts.ts";
import type { RequestHandlers } from "./reqresp/request-handler.ts";
import { RequestResponder } from "./reqresp/responder.ts";
import { Stages } from "./stages.ts";

export interface PeerNodeSettings {
  identity: PeerIdentity;
  /** Protocol version string. */
  version: string;
  /** IPv4 address and TCP port; port 0 takes a free one. */
  listen: { address: string; port: number };
  /** IPv4 address and TCP port that peers are told; undefined: the ones listened on. */
  announce: { ip: string; port: number } | undefined;
  userAgent: string;
  maxPeers: number;
  heartbeatMs: number;
  /** Penalties of high, mid and low tolerance. */
  penalties: readonly number[];
  mesh: MeshSettings;
  network: GossipSettings["network"];
  topics?: GossipSettings["topics"];
  /** Message ids that are remembered for each topic. */
  seenMessages: number;
  /** False where many peers may share an IP address, as on test networks. */
  limitPerAddress: boolean;
  requestTimeouts?: RequestTimeouts;
  /** Whether messages carry the time at which they were sent; the same on all nodes of a network. */
  instrumented: boolean;
  listed: ListedPeers;
}

/** Parts of the host that the services use. */
export interface PeerChannels {
  client: StreamRequestClient;
  publisher: GossipPublisher;
  scores: PeerScores;
  peers: PeerHost;
}

export interface PeerServices {
  topics: readonly GossipTopic[];
  /** Besides ping, status and goodbye. */
  handlers: RequestHandlers;
  /** Undefined where the handshake is disabled. */
  handshake: Handshake | undefined;
  /** Which peers are refused, besides those of a bad score. */
  rule?: PeerRule;
  /** Called for each status request. */
  status(): StatusMessage;
  /** Called when the host has started, before messages of gossip are taken. */
  start?(): void;
}

interface PeerNodeOptions<S extends PeerServices> {
  settings: PeerNodeSettings;
  discovery: PeerDiscovery | undefined;
  /** Called once, before the first peer connects. */
  services(channels: PeerChannels): S | Promise<S>;
  /** Unix milliseconds. */
  now(): number;
  loggerFor(subsystem: string): Logger;
}

/** The node among its peers: host, gossip, requests and the upkeep of connections. */
export interface PeerNode<S extends PeerServices = PeerServices> extends PeerChannels {
  readonly host: Host;
  readonly receiver: GossipReceiver;
  readonly connections: PeerConnections;
  readonly requests: RequestCounts;
  readonly services: S;
  /** Number of peers in a topic's mesh. */
  meshPeers(topic: Topic): number;
  /** Rejects if a port is taken; then nothing runs. Ends early when the node is stopped. */
  start(): Promise<void>;
  /** Says goodbye to the peers and stops what was started. Later calls wait for the first. */
  stop(): Promise<void>;
}

function messageWrapper(instrumented: boolean): MessageWrapper {
  if (!instrumented) return { wrap: wrapMessage, unwrap: unwrapMessage };
  return {
    wrap: (payload) => wrapInstrumented({ payload, sentAt: Date.now(), traceContext: "" }),
    unwrap: (message) => unwrapInstrumented(message).payload,
  };
}

interface HostParts {
  scores: PeerScores;
  rules: PeerRules;
  isBanned(peer: string): boolean;
}

async function peerNodeHost(settings: PeerNodeSettings, { scores, rules, isBanned }: HostParts): Promise<Host> {
  const { identity, version, listen, announce, mesh, listed, network, topics, limitPerAddress } = settings;
  return createHost({
    privateKey: identity.privateKey,
    listen: [`/ip4/${listen.address}/tcp/${listen.port}`],
    announce: announce === undefined ? [] : [`/ip4/${announce.ip}/tcp/${announce.port}`],
    maxPeers: settings.maxPeers,
    userAgent: settings.userAgent,
    refuses: { address: (ip) => rules.refuses(ip), peer: (id) => isBanned(id) || rules.refuses(id) },
    limitPerAddress,
    gossip: await gossipService({
      ...{ mesh, network, topics, version },
      // -Infinity shuts a peer out of gossip.
      applicationScore: (peer) => (rules.isShutOut(peer) ? Number.NEGATIVE_INFINITY : scores.score(peer)),
      penalizeColocation: limitPerAddress,
      directPeers: listed.preferred.flatMap(({ id, address }) =>
        address === undefined ? [] : [{ id: peerIdFromString(id), address }],
      ),
    }),
  });
}

/** Creates the node without starting it. */
export async function createPeerNode<S extends PeerServices>(options: PeerNodeOptions<S>): Promise<PeerNode<S>> {
  const { settings, discovery, now, loggerFor } = options;
  const { identity, version, listed, maxPeers, heartbeatMs, seenMessages } = settings;
  const logger = loggerFor("p2p");
  const gossipLogger = loggerFor("p2p:gossip");
  const protectedPeers = new ProtectedPeers(listed);
  const scores = new PeerScores({ penalties: settings.penalties, now, logger: loggerFor("p2p:peers") });
  const isBanned = (peer: string): boolean => !protectedPeers.has(peer) && scores.health(peer) === "banned";
  const rules = new PeerRules();
  const host = await peerNodeHost(settings, { scores, rules, isBanned });
  const router = host.services.gossip;
  const counts = requestCounts();
  const wrapper = messageWrapper(settings.instrumented);
  const requests = { penalties: scores, log: loggerFor("p2p:requests"), counts };
  const client = new StreamRequestClient(host, { ...requests, timeouts: settings.requestTimeouts });
  const channels: PeerChannels = {
    ...{ client, scores },
    publisher: gossipPublisher({ router, version, logger: gossipLogger, wrapper }),
    peers: libp2pPeerHost(host, logger),
  };
  const services = await options.services(channels);
  const { handshake } = services;
  if (services.rule !== undefined) rules.add(services.rule);
  const connections = new PeerConnections(
    { host: channels.peers, client, discovery, scores, protectedPeers, handshake, now, logger: loggerFor("p2p:peers") },
    { maxPeers, heartbeatMs },
  );
  const responder = new RequestResponder({
    ...{ ...requests, isBanned },
    handlers: {
      ...services.handlers,
      ping: pingHandler,
      status: statusHandler(services.status),
      goodbye: goodbyeHandler((peer, reason) => connections.goodbyeReceived(peer, reason)),
    },
  });
  const receiver = new GossipReceiver({
    ...{ router, topics: services.topics, version, penalties: scores, seenMessages, logger: gossipLogger, wrapper },
    deadlineMs: verdictDeadlineMs(settings.mesh),
  });
  const report = new GossipReport({ router, receiver, version, logger: gossipLogger });
  const stages = new Stages(
    peerStages({
      ...{ host, responder, client, receiver, report, discovery, connections },
      onHostStarted: () => services.start?.(),
      onStarted() {
        const addresses = host.getMultiaddrs().map((address) => address.toString());
        logger.info({ peer: identity.id, addresses, version }, "listening to peers as {peer}");
      },
    }),
    logger,
  );
  return {
    ...{ ...channels, host, receiver, connections, requests: counts, services },
    meshPeers: (topic) => router.getMeshPeers(topicString(topic, version)).length,
    start: () => stages.start(),
    stop: () => stages.stop(),
  };
}
