import type { Logger } from "../../telemetry/logger.ts";
import { DistributionCounter } from "../../telemetry/metrics/distribution.ts";
import type { DiscoveredPeer, PeerDiscovery } from "../discovery/peer-discovery.ts";
import { GoodbyeReason } from "../reqresp/codecs/goodbye-reason.ts";
import { DialQueue } from "./dial-queue.ts";
import { Dialer } from "./dialer.ts";
import { GoodbyeCounts } from "./goodbye-counts.ts";
import type { Handshake } from "./handshake.ts";
import type { ConnectedPeer, PeerHost } from "./peer-host.ts";
import type { PeerScores } from "./peer-scores.ts";
import type { ProtectedPeers } from "./protected-peers.ts";
import { prune } from "./prune.ts";
import type { RequestClient } from "./request-client.ts";

const GOODBYE_TIMEOUT_MS = 1_000;
const PEER_COUNT_LOG_MS = 60_000;
/** Upper bounds of the times of connections. */
export const CONNECTION_MS = [1_000, 10_000, 60_000, 600_000, 3_600_000, 21_600_000, 86_400_000] as const;

interface PeerConnectionsParts {
  host: PeerHost;
  client: RequestClient;
  /** Undefined where discovery is disabled. */
  discovery: Pick<PeerDiscovery, "onPeer" | "query"> | undefined;
  scores: PeerScores;
  protectedPeers: ProtectedPeers;
  /** Undefined where the handshake is disabled. */
  handshake: Handshake | undefined;
  /** Unix milliseconds. */
  now(): number;
  logger: Logger;
}

interface PeerConnectionsOptions {
  maxPeers: number;
  heartbeatMs: number;
}

/** A peer as node_getPeers shows it. */
type PeerInfo =
  | { id: string; score: number; status: "connected" }
  | { id: string; status: "dialing"; dialStatus: string; addresses: string[] }
  | { status: "cached"; id: string; addresses: string[]; dialAttempts: number; enr: string };

/**
 * Keeps the wanted number of peers connected: dials discovered and listed peers, checks new connections with a
 * handshake, and disconnects peers of low score (docs/protocol/10-peers.md#1017-peer-manager).
 */
export class PeerConnections {
  readonly goodbyesSent = new GoodbyeCounts();
  readonly goodbyesReceived = new GoodbyeCounts();
  /** Of connections that have ended, in milliseconds. */
  readonly connectionTimes = new DistributionCounter(CONNECTION_MS);
  readonly #connectedAt = new Map<string, number>();
  readonly #parts: PeerConnectionsParts;
  readonly #options: PeerConnectionsOptions;
  readonly #queue: DialQueue;
  readonly #dialer: Dialer;
  readonly #unsubscribe: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #countsLoggedAt = 0;
  #stopped = false;

  constructor(parts: PeerConnectionsParts, options: PeerConnectionsOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#queue = new DialQueue(parts.now);
    this.#dialer = new Dialer(parts.host, this.#queue, parts.logger);
  }

  start(): void {
    const { host, discovery, protectedPeers } = this.#parts;
    this.#unsubscribe.push(host.onConnect((id) => void this.#greet(id)));
    this.#unsubscribe.push(host.onDisconnect((id) => this.#disconnected(id)));
    if (discovery !== undefined) this.#unsubscribe.push(discovery.onPeer((peer) => this.#found(peer)));
    for (const peer of protectedPeers.all()) this.#dialer.dial({ peer, attempts: 0 });
    this.#timer = setInterval(() => void this.heartbeat(), this.#options.heartbeatMs);
    this.#timer.unref();
  }

  /** Says goodbye to all peers, each within a second, and disconnects. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    this.#dialer.stop();
    await Promise.all(this.#parts.host.peers().map(({ id }) => this.#sayGoodbye(id, GoodbyeReason.SHUTDOWN)));
  }

  /** Connected peers; with `includePending` also those that are being dialled and those that may be dialled later. */
  peers(includePending: boolean): PeerInfo[] {
    const { host, scores } = this.#parts;
    const connected = host.peers().map(({ id }): PeerInfo => ({ id, score: scores.score(id), status: "connected" }));
    if (!includePending) return connected;
    const dials = host.dials();
    const shown = new Set([...connected, ...dials].map(({ id }) => id));
    const dialing = dials.map(
      ({ id, status, addresses }): PeerInfo => ({ id, status: "dialing", dialStatus: status, addresses }),
    );
    const cached = this.#queue
      .cached()
      .filter(({ peer }) => !shown.has(peer.id))
      .map(({ peer, attempts }): PeerInfo => {
        const addresses = peer.address === undefined ? [] : [peer.address];
        return { status: "cached", id: peer.id, addresses, dialAttempts: attempts, enr: peer.enr };
      });
    return [...connected, ...dialing, ...cached];
  }

  #disconnected(id: string): void {
    this.#parts.logger.debug({ peer: id }, "disconnected from {peer}");
    const connectedAt = this.#connectedAt.get(id);
    if (connectedAt === undefined) return;
    this.#connectedAt.delete(id);
    this.connectionTimes.record(this.#parts.now() - connectedAt);
  }

  /** Called when a peer says goodbye. */
  goodbyeReceived(id: string, reason: number): void {
    this.goodbyesReceived.add(reason);
    this.#parts.logger.debug({ peer: id, reason }, "peer {peer} said goodbye");
    if (reason !== GoodbyeReason.SHUTDOWN) this.#queue.rest(id);
    void this.#hangUp(id);
  }

  /** One round of upkeep. Never rejects. */
  async heartbeat(): Promise<void> {
    const { host, scores, protectedPeers, discovery, logger } = this.#parts;
    try {
      scores.decayAll();
      this.#queue.expire();
      const connected = host.peers();
      const most = Math.max(0, this.#options.maxPeers - protectedPeers.size);
      const { kept, leave } = prune(
        connected.filter(({ id }) => !protectedPeers.has(id)),
        { most, health: (id) => scores.health(id), score: (id) => scores.score(id) },
      );
      this.#logCounts(connected);
      this.#dialProtected(connected);
      await Promise.all(leave.map(({ peer, reason }) => this.#sayGoodbye(peer.id, reason)));
      const wanted = most - kept.length - this.#dialer.count;
      if (wanted <= 0 || this.#stopped) return;
      for (const cached of this.#queue.take(wanted, (id) => this.#isKnown(id))) this.#dialOrQueue(cached);
      await discovery?.query();
    } catch (error) {
      logger.warn({ err: error }, "the peers' heartbeat failed");
    }
  }

  #dialProtected(connected: readonly ConnectedPeer[]): void {
    const ids = new Set(connected.map(({ id }) => id));
    for (const peer of this.#parts.protectedPeers.all()) {
      if (!ids.has(peer.id)) this.#dialer.dial({ peer, attempts: 0 });
    }
  }

  #dialOrQueue(cached: Parameters<Dialer["dial"]>[0]): void {
    if (this.#dialer.isFull) this.#queue.add(cached.peer, cached.attempts);
    else this.#dialer.dial(cached);
  }

  #isKnown(id: string): boolean {
    const { host } = this.#parts;
    return id === host.id || this.#dialer.isDialing(id) || host.isConnected(id);
  }

  #found(peer: DiscoveredPeer): void {
    const { host, scores } = this.#parts;
    if (this.#stopped || peer.address === undefined || this.#isKnown(peer.id) || this.#queue.has(peer.id)) return;
    if (this.#queue.isTimedOut(peer.id) || scores.health(peer.id) !== "healthy") return;
    const isWanted = host.peers().length + this.#dialer.count < this.#options.maxPeers;
    if (isWanted) this.#dialOrQueue({ peer, attempts: 0 });
    else this.#queue.add(peer);
  }

  async #greet(id: string): Promise<void> {
    const { handshake, logger, now } = this.#parts;
    this.#connectedAt.set(id, now());
    logger.debug({ peer: id }, "connected to {peer}");
    const outcome = await handshake?.check(id);
    if (outcome === undefined || outcome.passed) return;
    logger.debug({ peer: id, reason: outcome.reason }, "disconnecting {peer}: {reason}");
    this.#queue.rest(id);
    await this.#hangUp(id);
  }

  async #sayGoodbye(id: string, reason: GoodbyeReason): Promise<void> {
    const { client, logger } = this.#parts;
    this.goodbyesSent.add(reason);
    logger.debug({ peer: id, reason }, "saying goodbye to {peer}");
    const timeouts = { dialTimeoutMs: GOODBYE_TIMEOUT_MS, timeoutMs: GOODBYE_TIMEOUT_MS };
    await client.request(id, "goodbye", Uint8Array.of(reason), timeouts);
    await this.#hangUp(id);
  }

  async #hangUp(id: string): Promise<void> {
    try {
      await this.#parts.host.hangUp(id);
    } catch (error) {
      this.#parts.logger.debug({ peer: id, err: error }, "could not hang up on {peer}");
    }
  }

  #logCounts(connected: readonly ConnectedPeer[]): void {
    const { now, logger } = this.#parts;
    if (now() - this.#countsLoggedAt < PEER_COUNT_LOG_MS) return;
    this.#countsLoggedAt = now();
    const inbound = connected.filter((peer) => peer.inbound).length;
    const facts = { peers: connected.length, inbound, most: this.#options.maxPeers, cached: this.#queue.size };
    if (connected.length === 0) logger.warn(facts, "connected to no peer");
    else logger.info(facts, "connected to {peers:peer}, {inbound} of them inbound");
  }
}
