import type { Connection, PeerId, Stream } from "@libp2p/interface";
import { ReadTurns } from "../../streams/read-turns.ts";
import { ThreadShares } from "../../streams/thread-shares.ts";
import { FrameRoom, readFrames } from "./frames.ts";
import { PulledStream } from "./pulled-stream.ts";
import type { RouterInternals, Rpc } from "./router-internals.ts";

/** Largest frame, and the time in which one must be complete. */
const FRAME = { maxBytes: 4 * 2 ** 20, completeMs: 60_000 };
/** Bytes of incomplete frames, over all peers: 32 of the largest. */
const INCOMPLETE_BYTES = 128 * 2 ** 20;
/** Time in which a peer must open its side of the gossip stream, in milliseconds. */
const STREAM_DEADLINE_MS = 20_000;

/**
 * One stream is opened at a time to each peer. The library opens one at a time to all: each peer can delay the rest. It
 * also keeps a stream that ended before it was handed out, with the peer's connection and without end.
 */
export function openStreamsIndependently(inside: RouterInternals): void {
  const opening = new Map<string, Promise<void>>();
  const open = async (peerId: PeerId, connection: Connection): Promise<void> => {
    await inside.createOutboundStream(peerId, connection);
    const id = peerId.toString();
    const stream = inside.streamsOutbound.get(id);
    if (stream !== undefined && stream.rawStream.status !== "open") inside.streamsOutbound.delete(id);
  };
  const start = inside.start.bind(inside);
  inside.start = async () => {
    await start();
    inside.outboundInflightQueue.end();
    inside.outboundInflightQueue = {
      push({ peerId, connection }) {
        const id = peerId.toString();
        const before = opening.get(id) ?? Promise.resolve();
        const opened = before.then(() => open(peerId, connection)).catch(() => {});
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
 * connected whose stream failed. A frame that cannot be decoded counts as misbehaviour. A peer's frames take no more
 * than a share of the thread's time, and the peer waits while they are not handled.
 */
export function readBoundedFrames(inside: RouterInternals, disconnect: (peer: PeerId) => void): void {
  const room = new FrameRoom(INCOMPLETE_BYTES);
  const shares = new ThreadShares();
  const newest = new Map<string, Stream>();

  async function read(peerId: PeerId, id: string, stream: Stream): Promise<void> {
    const turns = new ReadTurns((usedMs) => shares.use(id, usedMs));
    try {
      for await (const frame of readFrames(new PulledStream(stream), room, FRAME)) {
        await begin(turns);
        if (stream.status !== "open") return;
        for (const part of partsOf(decode(id, frame))) {
          await begin(turns);
          if (stream.status !== "open") return;
          await inside.handleReceivedRpc(peerId, part).catch(() => {});
        }
      }
    } catch {
      if (newest.get(id) !== stream) return;
      inside.onPeerDisconnected(peerId);
      disconnect(peerId);
    } finally {
      if (newest.get(id) === stream) newest.delete(id);
    }
  }

  function decode(id: string, frame: Uint8Array): Rpc {
    try {
      return inside.decodeRpc(frame);
    } catch {
      inside.score.addPenalty(id, 1, "invalid_frame");
      return {};
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

async function begin(turns: ReadTurns): Promise<void> {
  for (let turn = turns.next(); turn !== undefined; turn = turns.next()) await turn;
}

/** The messages of a frame one by one: a few large ones take as long as many frames. */
function partsOf({ subscriptions, messages = [], control }: Rpc): Rpc[] {
  const parts: Rpc[] = messages.map((message) => ({ subscriptions: [], messages: [message] }));
  if (subscriptions !== undefined && subscriptions.length > 0) parts.unshift({ subscriptions, messages: [] });
  if (control !== undefined) parts.push({ subscriptions: [], messages: [], control });
  return parts;
}

/** Peers whose messages are all ignored for their score. */
export function graylistedPeers({ peers, score, direct }: RouterInternals, threshold: number): PeerId[] {
  return [...peers].flatMap(([id, peer]) => (!direct.has(id) && score.score(id) < threshold ? [peer] : []));
}

/** Finds peers that have had no outbound stream for longer than the deadline, at each call. */
export function streamlessPeers({ peers, streamsOutbound }: RouterInternals): () => PeerId[] {
  const since = new Map<string, number>();
  return () => {
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
  };
}
