import type { GossipSubComponents } from "@libp2p/gossipsub";
import type { Connection, PeerId, Stream } from "@libp2p/interface";
import { BoundedTimeCache } from "./bounded-time-cache.ts";
import { FrameRoom, readFrames } from "./frames.ts";
import type { GossipRouter } from "./gossip-router.ts";

/** Keys in each of the library's caches of seen messages: its own have no bound but their time. */
const MOST_SEEN = 1 << 17;
/** Delivery records that the library keeps for two minutes. */
const MOST_DELIVERIES = 1 << 17;
/** Largest frame, and the time in which one must be complete. */
const FRAME = { maxBytes: 4 * 2 ** 20, completeMs: 60_000 };
/** Bytes of incomplete frames, over all peers: 32 of the largest. */
const INCOMPLETE_BYTES = 128 * 2 ** 20;
/** Versions that nodes of the network speak. Floodsub and version 1.0 have no scores and backoffs. */
const PROTOCOLS = ["/meshsub/1.2.0", "/meshsub/1.1.0"];
/** Time in which a peer must open its side of the gossip stream, in milliseconds. */
const STREAM_DEADLINE_MS = 20_000;

interface RawMessage {
  data?: Uint8Array;
}

/** Private parts of gossipsub 17.1.1; the package's version is pinned. */
interface RouterInternals {
  seenCache: unknown;
  fastMsgIdCache: unknown;
  readonly mcache: { put(id: { msgIdStr: string }, message: RawMessage, validated?: boolean): boolean };
  readonly score: {
    addPenalty(peer: string, count: number, label: string): void;
    readonly scoreCache: Map<string, unknown>;
    readonly deliveryRecords: {
      readonly records: Map<string, unknown>;
      readonly queue: { readonly length: number; shift(): { msgId: string } | undefined };
    };
  };
  readonly acceptFromWhitelist: Map<string, unknown>;
  readonly peers: Map<string, PeerId>;
  readonly streamsOutbound: Map<string, unknown>;
  readonly streamsInbound: Map<string, { close(): Promise<void> }>;
  outboundInflightQueue: { push(wanted: { peerId: PeerId; connection: Connection }): unknown; end(): unknown };
  createOutboundStream(peerId: PeerId, connection: Connection): Promise<void>;
  createInboundStream(peerId: PeerId, stream: Stream): void;
  decodeRpc(frame: Uint8Array): object;
  handleReceivedRpc(from: PeerId, rpc: object): Promise<void>;
  onPeerDisconnected(peerId: PeerId): void;
  start(): Promise<void>;
}

const REPLACED = [
  "seenCache",
  "fastMsgIdCache",
  "mcache",
  "score",
  "acceptFromWhitelist",
  "streamsOutbound",
  "outboundInflightQueue",
  "createOutboundStream",
  "createInboundStream",
  "decodeRpc",
  "handleReceivedRpc",
  "onPeerDisconnected",
  "streamsInbound",
] as const;

/**
 * Bounds what a hostile peer can make gossipsub hold or wait for:
 *
 * - seen caches and delivery records have a largest number of entries, not only a largest age;
 * - frames that are not complete take a limited time and memory;
 * - a cached message does not keep the frame alive in which it came;
 * - streams to peers open independently: one peer that delays the negotiation does not delay the others;
 * - a peer without a stream for its gossip is disconnected, as one is whose stream was reset because it reads too slowly.
 */
export function hardenRouter(
  router: GossipRouter,
  { seenTtlMs, parts }: { seenTtlMs: number; parts: Pick<GossipSubComponents, "connectionManager"> },
): GossipRouter {
  const inside = router as unknown as RouterInternals;
  for (const name of REPLACED) {
    if (inside[name] === undefined) throw new Error(`gossipsub has no ${name}: its version is not the expected one`);
  }
  inside.seenCache = new BoundedTimeCache<undefined>({ validMs: seenTtlMs, most: MOST_SEEN });
  inside.fastMsgIdCache = new BoundedTimeCache<string>({ validMs: seenTtlMs, most: MOST_SEEN });
  const { mcache } = inside;
  const put = mcache.put.bind(mcache);
  mcache.put = (id, message, validated) => put(id, withoutFrame(message), validated);
  router.protocols = [...PROTOCOLS];
  openStreamsIndependently(inside);
  const disconnect = (peer: PeerId) => void parts.connectionManager.closeConnections(peer).catch(() => {});
  readBoundedFrames(inside, disconnect);
  const since = new Map<string, number>();
  router.addEventListener("gossipsub:heartbeat", () => {
    trimDeliveries(inside);
    for (const peer of streamless(inside, since)) disconnect(peer);
  });
  return router;
}

/** Makes the next look at a peer's score compute it, so that a penalty counts at once. */
export function forgetScore(router: GossipRouter, peer: string): void {
  const { score, acceptFromWhitelist } = router as unknown as RouterInternals;
  score.scoreCache.delete(peer);
  acceptFromWhitelist.delete(peer);
}

/** The message with a copy of its data if that is a small part of a larger buffer. */
function withoutFrame<Message extends RawMessage>(message: Message): Message {
  const { data } = message;
  if (data !== undefined && data.buffer.byteLength > 2 * data.length) message.data = new Uint8Array(data);
  return message;
}

function trimDeliveries({ score: { deliveryRecords } }: RouterInternals): void {
  while (deliveryRecords.queue.length > MOST_DELIVERIES) {
    const oldest = deliveryRecords.queue.shift();
    if (oldest !== undefined) deliveryRecords.records.delete(oldest.msgId);
  }
}

/** One stream is opened at a time to each peer; the library opens one at a time to all. */
function openStreamsIndependently(inside: RouterInternals): void {
  const opening = new Map<string, Promise<void>>();
  const start = inside.start.bind(inside);
  inside.start = async () => {
    await start();
    inside.outboundInflightQueue.end();
    inside.outboundInflightQueue = {
      push({ peerId, connection }) {
        const id = peerId.toString();
        const before = opening.get(id) ?? Promise.resolve();
        const opened = before.then(() => inside.createOutboundStream(peerId, connection)).catch(() => {});
        opening.set(id, opened);
        void opened.then(() => {
          if (opening.get(id) === opened) opening.delete(id);
        });
      },
      end() {},
    };
  };
}

/**
 * Replaces the library's reader, whose incomplete frames have a limit each but none together, and which leaves a peer
 * connected whose stream failed. A frame that cannot be decoded counts as misbehaviour.
 */
function readBoundedFrames(inside: RouterInternals, disconnect: (peer: PeerId) => void): void {
  const room = new FrameRoom(INCOMPLETE_BYTES);
  const newest = new Map<string, Stream>();

  async function read(peerId: PeerId, id: string, stream: Stream): Promise<void> {
    try {
      for await (const frame of readFrames(stream, room, FRAME)) receive(peerId, id, frame);
    } catch {
      if (newest.get(id) !== stream) return;
      inside.onPeerDisconnected(peerId);
      disconnect(peerId);
    } finally {
      if (newest.get(id) === stream) newest.delete(id);
    }
  }

  function receive(peerId: PeerId, id: string, frame: Uint8Array): void {
    try {
      inside.handleReceivedRpc(peerId, inside.decodeRpc(frame)).catch(() => {});
    } catch {
      inside.score.addPenalty(id, 1, "invalid_frame");
    }
  }

  inside.createInboundStream = (peerId, stream) => {
    const id = peerId.toString();
    const close = async () => stream.abort(new Error("the peer's gossip stream is no longer read"));
    if (!inside.peers.has(id)) {
      void close();
      return;
    }
    const before = inside.streamsInbound.get(id);
    newest.set(id, stream);
    inside.streamsInbound.set(id, { close });
    before?.close().catch(() => {});
    void read(peerId, id, stream);
  };
}

/** Peers that have had no outbound stream for longer than the deadline. */
function streamless({ peers, streamsOutbound }: RouterInternals, since: Map<string, number>): PeerId[] {
  const now = Date.now();
  for (const id of since.keys()) if (!peers.has(id) || streamsOutbound.has(id)) since.delete(id);
  const late: PeerId[] = [];
  for (const [id, peer] of peers) {
    if (streamsOutbound.has(id)) continue;
    const start = since.get(id) ?? now;
    since.set(id, start);
    if (now - start > STREAM_DEADLINE_MS) late.push(peer);
  }
  return late;
}
