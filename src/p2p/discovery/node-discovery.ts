import { setTimeout as sleep } from "node:timers/promises";
import type { Discv5 } from "@chainsafe/discv5";
import type { ENR } from "@chainsafe/enr";
import { Listeners } from "../../events/listeners.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { PeerIdentity } from "../identity/peer-identity.ts";
import { guardedDiscv5 } from "./guarded-discv5.ts";
import { versionOf } from "./node-record.ts";
import type { OwnRecord } from "./own-record.ts";
import type { DiscoveredPeer, PeerDiscovery } from "./peer-discovery.ts";
import { isCompatible, peerOf } from "./record-rules.ts";
import type { UdpTransport } from "./udp-transport.ts";

/** No lookup before this time after the start: sessions with bootnodes come first. */
const FIRST_QUERY_MS = 2000;
const MAX_QUERY_MS = 10_000;
/** A bucket of one of these distances is full in a large network. */
const FAR = [256, 255, 254];
/** The buckets of these distances hold every node of a small network. */
const NEAR = [253, 252, 251, 250, 249, 248, 247, 246, 245, 244, 243, 242];
/** About a tenth of a processor's time. */
const HANDSHAKES_PER_SECOND = 10;
/** Nodes that are asked at once for this node's address; ten must agree on it. */
const MAX_ASKED = 32;

export interface NodeDiscoveryOptions {
  identity: PeerIdentity;
  record: OwnRecord;
  /** IPv4 address and UDP port to bind. */
  listen: { address: string; port: number };
  /** TCP port that the record names together with a learnt address. */
  announcePort: number;
  /** Learn the announced address from peers. */
  learnAddress: boolean;
  bootnodes: readonly ENR[];
  /** Refuse bootnodes whose record does not have this node's version. */
  checkBootnodes: boolean;
  /** Report bootnodes as peers. */
  bootnodesAsPeers: boolean;
  /** Further records for the routing table. */
  trusted: readonly ENR[];
  /** Whether many nodes of one private network are limited like those of a public one. Default false. */
  countPrivate?: boolean;
  log: Logger;
}

/** Discovery of a node (docs/protocol/10-peers.md#104-discovery). */
export class NodeDiscovery implements PeerDiscovery {
  readonly #options: NodeDiscoveryOptions;
  readonly #version: string;
  readonly #bootnodeIds: ReadonlySet<string>;
  readonly #discv5: Discv5;
  readonly #transport: UdpTransport;
  readonly #peers: Listeners<[DiscoveredPeer]>;
  readonly #stopping = new AbortController();
  #startedAt = 0;
  #query: Promise<void> | undefined;

  constructor(options: NodeDiscoveryOptions) {
    const { identity, record, listen, learnAddress, bootnodes, countPrivate, log } = options;
    this.#options = options;
    this.#version = versionOf(record.signable) ?? "";
    this.#bootnodeIds = new Set(bootnodes.map(({ nodeId }) => nodeId));
    this.#peers = new Listeners((err) => log.error({ err }, "handling a discovered peer failed"));
    const { discv5, transport } = guardedDiscv5({
      ...{ identity, record: record.signable, listen, learnAddress, countPrivate, log },
      handshakesPerSecond: HANDSHAKES_PER_SECOND,
      admits: (found) => this.#admits(found),
      onRecord: (found) => this.#found(found),
      onAddress: () => this.#addressLearnt(),
    });
    this.#discv5 = discv5;
    this.#transport = transport;
  }

  get enr(): string {
    return this.#options.record.text;
  }

  get transport(): UdpTransport {
    return this.#transport;
  }

  /** Records of the routing table. */
  get table(): ENR[] {
    return this.#discv5.kadValues();
  }

  /** Number of nodes that answered, of those in the routing table. */
  get answering(): number {
    return this.#discv5.connectedPeerCount;
  }

  /** The listener is called for each well-formed packet of an address that this node did not ask: UDP reaches it. */
  onStranger(listener: () => void): () => void {
    return this.#transport.strangers.add(listener);
  }

  onPeer(listener: (peer: DiscoveredPeer) => void): () => void {
    return this.#peers.add(listener);
  }

  async start(): Promise<void> {
    const { bootnodes, log } = this.#options;
    await this.#discv5.start();
    this.#startedAt = performance.now();
    const { port } = this.#transport;
    log.info({ port, bootnodes: bootnodes.length, enr: this.enr }, "discovery on UDP port {port}, node record {enr}");
    for (const record of bootnodes) {
      if (this.#admits(record)) continue;
      const enr = record.encodeTxt();
      log.warn({ enr, version: versionOf(record) }, "a bootnode is of another version ({version}), skipped: {enr}");
    }
    this.#addKnown();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    if (this.#discv5.isStarted()) await this.#discv5.stop();
    await this.#query;
  }

  query(): Promise<void> {
    this.#query ??= this.#lookUp().finally(() => {
      this.#query = undefined;
    });
    return this.#query;
  }

  async #lookUp(): Promise<void> {
    await this.#pause(this.#startedAt + FIRST_QUERY_MS - performance.now());
    if (!this.#discv5.isStarted()) return;
    const over = new AbortController();
    try {
      this.#addKnown();
      // The library leaves requests unanswered that it drops, as those in flight when it stops.
      const lookup = Promise.all([this.#discv5.findRandomNode(), this.#askLostBootnode(), this.#askForAddress()]);
      await Promise.race([lookup, this.#pause(MAX_QUERY_MS, over.signal)]);
    } catch (error) {
      this.#options.log.debug({ reason: String(error) }, "a lookup failed: {reason}");
    } finally {
      over.abort();
    }
  }

  /** Ends early when discovery stops or `signal` is aborted. */
  async #pause(ms: number, signal: AbortSignal = this.#stopping.signal): Promise<void> {
    if (ms <= 0) return;
    await sleep(ms, undefined, { signal: AbortSignal.any([signal, this.#stopping.signal]) }).catch(() => undefined);
  }

  /** Puts bootnodes and trusted peers into the routing table, again where others took their places. */
  #addKnown(): void {
    const { bootnodes, trusted } = this.#options;
    for (const record of [...bootnodes.filter((bootnode) => this.#admits(bootnode)), ...trusted]) {
      if (this.#discv5.getKadValue(record.nodeId) === undefined) this.#discv5.addEnr(record);
    }
  }

  /**
   * Asks a bootnode that is not in the routing table, so that peers that fill the table cannot cut this node off.
   */
  async #askLostBootnode(): Promise<void> {
    const lost = this.#options.bootnodes.filter(
      (record) => this.#admits(record) && this.#discv5.getKadValue(record.nodeId) === undefined,
    );
    const bootnode = lost[Math.floor(Math.random() * lost.length)];
    if (bootnode === undefined) return;
    // It answers with 16 nodes at most, those of the first distances.
    const first = Math.floor(Math.random() * FAR.length);
    const distances = [...FAR.slice(first), ...FAR.slice(0, first), ...NEAR];
    await this.#discv5.sendFindNode(bootnode, distances).catch(() => undefined);
  }

  /** Collects what peers see as this node's address while it has none. The library would ask every 5 minutes. */
  async #askForAddress(): Promise<void> {
    const { record, learnAddress } = this.#options;
    if (!learnAddress || record.signable.ip !== undefined) return;
    const asked = this.table.slice(0, MAX_ASKED);
    await Promise.all(asked.map((peer) => this.#discv5.sendPing(peer).catch(() => undefined)));
  }

  #isBootnode(record: ENR): boolean {
    return this.#bootnodeIds.has(record.nodeId);
  }

  /** Whether the routing table may hold a record. */
  #admits(record: ENR): boolean {
    if (!this.#options.checkBootnodes && this.#isBootnode(record)) return true;
    return isCompatible(record, this.#version);
  }

  #found(record: ENR): void {
    if (this.#isBootnode(record) && !this.#options.bootnodesAsPeers) return;
    if (!this.#admits(record)) return;
    try {
      this.#peers.emit(peerOf(record));
    } catch (error) {
      this.#options.log.debug({ reason: String(error) }, "a discovered record is not usable: {reason}");
    }
  }

  #addressLearnt(): void {
    const { record, announcePort, log } = this.#options;
    record.signable.tcp = announcePort;
    record.kept();
    log.info(
      { ip: record.signable.ip, enr: this.enr },
      "peers see this node at {ip}: it announces that address from now on, node record {enr}",
    );
  }
}
