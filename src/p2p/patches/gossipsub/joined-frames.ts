import type { OutboundFrames, RouterInternals } from "./router-internals.ts";

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
