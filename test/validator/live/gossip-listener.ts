import { appendFileSync } from "node:fs";
import { DEFAULT_MESH } from "../../../src/p2p/gossip/gossip-service.ts";
import { TOPICS, type Topic } from "../../../src/p2p/gossip/publisher.ts";
import { topicString } from "../../../src/p2p/gossip/topic.ts";
import type { PeerNode } from "../../../src/p2p/peer-node.ts";
import { until } from "../../world/live/json-rpc.ts";
import type { Listed, ReferenceNetwork } from "../../world/live/reference-network.ts";
import { createTestNode } from "../../world/p2p/peer-nodes.ts";
import { type SignedMessage, SignedRecord, signedMessages } from "./signed-messages.ts";

const SIGNED_TOPICS = TOPICS.filter((topic) => topic !== "tx");
const CONNECT_MS = 120_000;
const SAMPLE_MS = 1_000;

/** A peer without keys that is connected to every node and records what validators signed, as it was on the wire. */
export class GossipListener {
  readonly record = new SignedRecord();
  /** Messages whose signer cannot be recovered, or that cannot be decoded. */
  unreadable = 0;
  messages = 0;
  /** Fewest nodes that were connected, and fewest in the mesh of a topic, at any sample. */
  fewest = { connected: Number.POSITIVE_INFINITY, meshed: Number.POSITIVE_INFINITY };
  readonly #listed: readonly Listed[];
  readonly #version: string;
  readonly #file: string;
  readonly #waiting = new Set<(message: SignedMessage) => void>();
  #node: PeerNode | undefined;
  #sampling: NodeJS.Timeout | undefined;

  /** Each message becomes a line of JSON in `file`. */
  constructor(listed: readonly Listed[], version: string, file: string) {
    this.#listed = listed;
    this.#version = version;
    this.#file = file;
  }

  /** Resolves when all nodes are connected and in the meshes. */
  async start({ slotDurationMs, blockDurationMs, committeeSize }: ReferenceNetwork): Promise<void> {
    // A router asks for more mesh peers only below Dlo, and the listener wants them all.
    const mesh = { ...DEFAULT_MESH, D: this.#all, Dlo: this.#all, Dhi: 2 * this.#all };
    const node = await createTestNode({
      settings: {
        version: this.#version,
        listed: { trusted: this.#listed, private: [], preferred: [] },
        mesh,
        network: {
          slotDurationMs,
          blockDurationMs,
          committeeSize,
          heartbeatMs: mesh.heartbeatMs,
          blockProposalsPerSlot: 0,
        },
      },
      validate: (topic, payload) => {
        this.#received(topic, payload);
        return { result: "accept" };
      },
    });
    this.#node = node;
    await node.start();
    await until("the listener is connected to every node", CONNECT_MS, async () => this.#connected() === this.#all);
    await until("every node is in the listener's meshes", CONNECT_MS, async () => this.#meshed() === this.#all);
    this.#sampling = setInterval(() => {
      this.fewest.connected = Math.min(this.fewest.connected, this.#connected());
      this.fewest.meshed = Math.min(this.fewest.meshed, this.#meshed());
    }, SAMPLE_MS);
  }

  get #all(): number {
    return this.#listed.length;
  }

  #connected(): number {
    return this.#listed.filter(({ id }) => this.#node?.peers.isConnected(id)).length;
  }

  #meshed(): number {
    const gossip = this.#node?.host.services.gossip;
    const sizes = SIGNED_TOPICS.map((topic) => gossip?.getMeshPeers(topicString(topic, this.#version)).length ?? 0);
    return Math.min(...sizes);
  }

  #received(topic: Topic, payload: Uint8Array): void {
    let signed: SignedMessage[];
    try {
      signed = signedMessages(topic, payload);
    } catch {
      this.unreadable++;
      return;
    }
    for (const message of signed) {
      this.messages++;
      if (message.signer === undefined) this.unreadable++;
      this.record.add(message);
      appendFileSync(this.#file, `${JSON.stringify({ t: Date.now(), ...message })}\n`);
      for (const notify of [...this.#waiting]) notify(message);
    }
  }

  /** The next message of a kind; undefined if none came before `untilMs` (Unix time). */
  next(kind: SignedMessage["kind"], untilMs: number): Promise<SignedMessage | undefined> {
    return new Promise((resolve) => {
      const end = (message: SignedMessage | undefined) => {
        clearTimeout(timer);
        this.#waiting.delete(notify);
        resolve(message);
      };
      const notify = (message: SignedMessage) => {
        if (message.kind === kind) end(message);
      };
      const timer = setTimeout(() => end(undefined), Math.max(0, untilMs - Date.now()));
      this.#waiting.add(notify);
    });
  }

  async stop(): Promise<void> {
    clearInterval(this.#sampling);
    await this.#node?.stop();
  }
}
