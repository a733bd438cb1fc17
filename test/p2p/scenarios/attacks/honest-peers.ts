import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { DEFAULT_MESH } from "../../../../src/p2p/gossip/gossip-service.ts";
import { TOPICS, type Topic } from "../../../../src/p2p/gossip/publisher.ts";
import { TOPIC_RULES, topicString } from "../../../../src/p2p/gossip/topic.ts";
import { generatePeerIdentity } from "../../../../src/p2p/identity/peer-identity.ts";
import { createPeerNode, type PeerNode } from "../../../../src/p2p/peer-node.ts";
import { StatusHandshake } from "../../../../src/p2p/peers/status-handshake.ts";
import { silentLogger } from "../../../../src/telemetry/logger.ts";
import type { SubjectFacts } from "./target.ts";

/** Below the rate that the node allows one peer. */
const REQUEST_INTERVAL_MS = 300;
/** A message that takes longer counts as lost. */
const LOST_AFTER_MS = 60_000;

/** Valid messages that honest peers send. */
export interface HonestTraffic {
  topic: Topic;
  intervalMs: number;
  /** A payload unlike all before. */
  next(): Uint8Array;
}

export interface HonestFigures {
  /** Milliseconds from one honest peer over the node to the other, sorted. */
  gossip: number[];
  /** Milliseconds of a status request, sorted. */
  requests: number[];
  /** Messages that did not arrive. */
  lost: number;
  /** Requests without a good answer. */
  failed: number;
}

async function honestNode(
  { port, id, version }: SubjectFacts,
  onMessage: (payload: Uint8Array) => void,
): Promise<PeerNode> {
  const status = () => ({ version, latestBlock: 1, latestHash: "", finalizedBlock: 0 });
  const subject = { id, address: `/ip4/127.0.0.1/tcp/${port}`, enr: "" };
  const node = await createPeerNode({
    settings: {
      identity: generatePeerIdentity(),
      version,
      listen: { address: "127.0.0.1", port: 0 },
      announce: undefined,
      userAgent: "test",
      maxPeers: 10,
      heartbeatMs: 1_000,
      penalties: [2, 10, 50],
      mesh: DEFAULT_MESH,
      network: {
        slotDurationMs: 24_000,
        heartbeatMs: DEFAULT_MESH.heartbeatMs,
        committeeSize: 4,
        blockDurationMs: undefined,
        blockProposalsPerSlot: 0,
      },
      seenMessages: 100_000,
      limitPerAddress: false,
      instrumented: false,
      listed: { trusted: [subject], private: [], preferred: [] },
    },
    discovery: undefined,
    services: ({ client }) => ({
      topics: TOPICS.map((name) => ({
        ...TOPIC_RULES[name],
        name,
        validate(payload) {
          onMessage(payload);
          return { result: "accept" };
        },
      })),
      handlers: {},
      handshake: new StatusHandshake(client, status),
      status,
    }),
    now: Date.now,
    loggerFor: () => silentLogger,
  });
  await node.start();
  return node;
}

function keyOf(payload: Uint8Array): string {
  return createHash("sha256").update(payload).digest("hex");
}

/** Two peers of the node that know only the node: what one sends reaches the other if the node forwards it. */
export class HonestPeers {
  readonly #subject: SubjectFacts;
  readonly #traffic: HonestTraffic;
  readonly #sender: PeerNode;
  readonly #receiver: PeerNode;
  readonly #arrived: Map<string, number>;
  /** How often a peer of the pair lost its connection to the node. */
  disconnects = 0;

  private constructor(
    { subject, traffic }: { subject: SubjectFacts; traffic: HonestTraffic },
    { sender, receiver, arrived }: { sender: PeerNode; receiver: PeerNode; arrived: Map<string, number> },
  ) {
    this.#subject = subject;
    this.#traffic = traffic;
    this.#sender = sender;
    this.#receiver = receiver;
    this.#arrived = arrived;
    for (const node of [sender, receiver]) node.peers.onDisconnect(() => this.disconnects++);
  }

  /** Resolves when both are in the node's mesh. */
  static async join(subject: SubjectFacts, traffic: HonestTraffic): Promise<HonestPeers> {
    const arrived = new Map<string, number>();
    const sender = await honestNode(subject, () => {});
    const receiver = await honestNode(subject, (payload) => arrived.set(keyOf(payload), performance.now()));
    const peers = new HonestPeers({ subject, traffic }, { sender, receiver, arrived });
    for (const end = Date.now() + 60_000; !peers.meshed; await sleep(50)) {
      if (Date.now() > end) throw new Error("the honest peers were not taken into the mesh");
    }
    return peers;
  }

  get meshed(): boolean {
    const { id, version } = this.#subject;
    const has = ({ host }: PeerNode) =>
      TOPICS.every((topic) => host.services.gossip.getMeshPeers(topicString(topic, version)).includes(id));
    return has(this.#sender) && has(this.#receiver);
  }

  /** Sends messages and requests for `ms` milliseconds. */
  async measure(ms: number): Promise<HonestFigures> {
    const end = performance.now() + ms;
    const [gossip, requests] = await Promise.all([this.#gossip(end), this.#requests(end)]);
    return { ...gossip, ...requests };
  }

  async #gossip(end: number): Promise<Pick<HonestFigures, "gossip" | "lost">> {
    const { topic, intervalMs, next } = this.#traffic;
    this.#arrived.clear();
    const sent = new Map<string, number>();
    while (performance.now() < end) {
      const payload = next();
      sent.set(keyOf(payload), performance.now());
      this.#sender.publisher.publish(topic, payload);
      await sleep(intervalMs);
    }
    const missing = () => [...sent.keys()].some((key) => !this.#arrived.has(key));
    for (const deadline = performance.now() + LOST_AFTER_MS; missing() && performance.now() < deadline; ) {
      await sleep(10);
    }
    const taken = [...sent].flatMap(([key, at]) => {
      const arrived = this.#arrived.get(key);
      return arrived === undefined ? [] : [arrived - at];
    });
    return { gossip: taken.sort((a, b) => a - b), lost: sent.size - taken.length };
  }

  async #requests(end: number): Promise<Pick<HonestFigures, "requests" | "failed">> {
    const requests: number[] = [];
    let failed = 0;
    while (performance.now() < end) {
      const start = performance.now();
      const { status } = await this.#sender.client.request(this.#subject.id, "status", Buffer.from("x"));
      if (status === 0) requests.push(performance.now() - start);
      else failed++;
      await sleep(REQUEST_INTERVAL_MS);
    }
    return { requests: requests.sort((a, b) => a - b), failed };
  }

  async leave(): Promise<void> {
    await Promise.all([this.#sender.stop(), this.#receiver.stop()]);
  }
}
