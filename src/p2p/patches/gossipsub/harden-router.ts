import type { GossipSubComponents } from "@libp2p/gossipsub";
import type { PeerId } from "@libp2p/interface";
import { dropOldest } from "../../../storage/drop-oldest.ts";
import { keepScoresOfReturningPeers, trimScores } from "./bounded-scores.ts";
import { fitAnswersIntoFrames } from "./fitting-answers.ts";
import type { GossipRouter } from "./gossip-router.ts";
import { graylistedPeers, openStreamsIndependently, readBoundedFrames, streamlessPeers } from "./gossip-streams.ts";
import {
  type OutboundFrames,
  type RawMessage,
  type RouterInternals,
  routerInternals,
  type TopicStats,
} from "./router-internals.ts";

/** Keys in each of the library's caches of seen messages: its own have no bound but their time. */
const MAX_SEEN = 1 << 17;
/** Versions that nodes of the network speak. Floodsub and version 1.0 have no scores and backoffs. */
const PROTOCOLS = ["/meshsub/1.2.0", "/meshsub/1.1.0"];
/** Longest time for which a peer can ask not to be grafted again, in milliseconds. */
const MAX_BACKOFF_MS = 3_600_000;

interface HardenedRouterOptions {
  /** Time for which a message counts as seen. */
  seenTtlMs: number;
  /** A peer with a lower score is disconnected. */
  graylistThreshold: number;
  parts: Pick<GossipSubComponents, "connectionManager">;
}

/**
 * Bounds what a hostile peer can make gossipsub hold or wait for, and keeps mesh peers that are only slower:
 *
 * - seen caches, delivery records and scores of absent peers have a largest number, not only a largest age;
 * - frames that are not complete take a limited time and memory;
 * - frames of a peer take no more than a share of the thread's time, and bytes that are not handled stay at the peer;
 * - a peer is disconnected for a score at which all it sends is ignored;
 * - a cached message does not keep the frame alive in which it came;
 * - streams to peers open independently: one peer that delays the negotiation does not delay the others;
 * - a peer without a stream for its gossip is disconnected, as one is whose stream was reset because it reads too
 *   slowly;
 * - a peer does not lose its score by connecting again;
 * - what is asked for and sent at once fits into a frame;
 * - frames to a peer that are made together are sent together.
 *
 * The attacks are in test/p2p/scenarios/attacks: gossip-control.ts, gossip-frames.ts, gossip-messages.ts and
 * gossip-rpc.ts.
 */
export function hardenRouter(
  router: GossipRouter,
  { seenTtlMs, graylistThreshold, parts }: HardenedRouterOptions,
): GossipRouter {
  const inside = routerInternals(router);
  const disconnect = (peer: PeerId) => void parts.connectionManager.closeConnections(peer).catch(() => {});
  router.protocols = [...PROTOCOLS];
  inside.seenCache = new BoundedTimeCache<undefined>({ validMs: seenTtlMs, max: MAX_SEEN });
  inside.fastMsgIdCache = new BoundedTimeCache<string>({ validMs: seenTtlMs, max: MAX_SEEN });
  keepNoFrames(inside);
  limitBackoff(inside);
  fitAnswersIntoFrames(inside);
  keepScoresOfReturningPeers(inside.score);
  creditOvertakenPeers(inside);
  joinFrames(inside);
  openStreamsIndependently(inside);
  readBoundedFrames(inside, disconnect);
  const streamless = streamlessPeers(inside);
  router.addEventListener("gossipsub:heartbeat", () => {
    trimScores(inside.score);
    for (const peer of [...streamless(), ...graylistedPeers(inside, graylistThreshold)]) disconnect(peer);
  });
  return router;
}

/** Makes the next look at a peer's score compute it, so that a penalty counts at once. */
export function forgetScore(router: GossipRouter, peer: string): void {
  const { score, acceptFromWhitelist } = router as unknown as RouterInternals;
  score.scoreCache.delete(peer);
  acceptFromWhitelist.delete(peer);
}

function keepNoFrames({ mcache }: RouterInternals): void {
  const put = mcache.put.bind(mcache);
  mcache.put = (id, message, validated) => put(id, withoutFrame(message), validated);
}

/** The message with a copy of its data if that is a small part of a larger buffer. */
function withoutFrame<Message extends RawMessage>(message: Message): Message {
  const { data } = message;
  if (data !== undefined && data.buffer.byteLength > 2 * data.length) message.data = new Uint8Array(data);
  return message;
}

function limitBackoff(inside: RouterInternals): void {
  const add = inside.doAddBackoff.bind(inside);
  inside.doAddBackoff = (peer, topic, ms) => add(peer, topic, Math.min(ms, MAX_BACKOFF_MS));
}

/** Keys that are forgotten after a time, or when there are too many: the oldest first. */
export class BoundedTimeCache<Value = undefined> {
  readonly #entries = new Map<string, { value: Value; until: number }>();
  readonly #validMs: number;
  readonly #max: number;
  readonly #now: () => number;

  constructor({ validMs, max, now = Date.now }: { validMs: number; max: number; now?: () => number }) {
    this.#validMs = validMs;
    this.#max = max;
    this.#now = now;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Keeps what is stored for a known key. Returns whether the key was known. */
  put(key: string, value: Value): boolean {
    if (this.#entries.has(key)) return true;
    this.#entries.set(key, { value, until: this.#now() + this.#validMs });
    dropOldest(this.#entries, this.#max);
    return false;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.until >= this.#now() ? entry.value : undefined;
  }

  prune(): void {
    const now = this.#now();
    for (const [key, { until }] of this.#entries) {
      if (until >= now) return;
      this.#entries.delete(key);
    }
  }

  clear(): void {
    this.#entries.clear();
  }
}

/** A larger frame is sent by itself: joining copies. */
const MAX_JOINED_BYTES = 64 * 1024;

/**
 * Sends what one turn of the event loop has for a peer as one piece. Each piece costs a frame of the muxer, an
 * encryption and a write to the socket, for every mesh peer; the verdicts on a committee's attestations come together.
 */
export function joinFrames(inside: RouterInternals): void {
  const joined = new WeakSet<OutboundFrames>();
  const create = inside.createOutboundStream.bind(inside);
  inside.createOutboundStream = async (peerId, connection) => {
    await create(peerId, connection);
    const stream = inside.streamsOutbound.get(peerId.toString());
    if (stream === undefined || joined.has(stream)) return;
    joined.add(stream);
    joinFramesOf(stream);
  };
}

function joinFramesOf(stream: OutboundFrames): void {
  const { rawStream } = stream;
  const close = stream.close.bind(stream);
  let waiting: Uint8Array[] = [];
  const flush = (): void => {
    if (waiting.length === 0) return;
    const bytes = Buffer.concat(waiting);
    waiting = [];
    try {
      rawStream.send(bytes);
    } catch {
      // The stream ended in the meantime, of which the router hears from the stream.
    }
  };
  stream.pushPrefixed = (frame) => {
    if (frame.byteLength > MAX_JOINED_BYTES || rawStream.writeStatus !== "writable") {
      flush();
      rawStream.send(frame);
      return;
    }
    if (waiting.length === 0) process.nextTick(flush);
    waiting.push(frame.subarray());
  };
  stream.close = (options) => {
    flush();
    return close(options);
  };
}

/**
 * Counts a message as delivered by the mesh peers to which this node sent it first. gossipsub demands from each mesh
 * peer a share of the messages, but a peer that already has a message from this node does not send it back: a node that
 * validates faster than its peers would find that they deliver too little, and prune them. A peer gets this only while
 * it delivers messages on the topic itself, within the time after which its deliveries count.
 */
function creditOvertakenPeers(inside: RouterInternals): void {
  const { score, mesh, streamsOutbound } = inside;
  /** Unix milliseconds of the last message that a peer sent on a topic. */
  const delivered = new WeakMap<TopicStats, number>();
  const statsOf = (peer: string, topic: string): TopicStats | null => {
    const stats = score.peerStats.get(peer);
    return stats === undefined ? null : score.getPtopicStats(stats, topic);
  };
  const note = (peer: string, topic: string): void => {
    const stats = statsOf(peer, topic);
    if (stats !== null) delivered.set(stats, Date.now());
  };
  const delivers = (peer: string, topic: string): boolean => {
    const stats = statsOf(peer, topic);
    const at = stats === null ? undefined : delivered.get(stats);
    return at !== undefined && Date.now() - at <= score.params.topics[topic].meshMessageDeliveriesActivation;
  };

  const deliverMessage = score.deliverMessage.bind(score);
  const duplicateMessage = score.duplicateMessage.bind(score);
  score.deliverMessage = (from, id, topic) => {
    deliverMessage(from, id, topic);
    note(from, topic);
  };
  score.duplicateMessage = (from, id, topic) => {
    duplicateMessage(from, id, topic);
    note(from, topic);
  };

  const forward = inside.forwardMessage.bind(inside);
  inside.forwardMessage = (id, message, source, known) => {
    const { topic } = message;
    forward(id, message, source, known);
    for (const peer of mesh.get(topic) ?? []) {
      if (peer === source || known?.has(peer) || !streamsOutbound.has(peer)) continue;
      if (delivers(peer, topic)) duplicateMessage(peer, id, topic);
    }
  };
}
