import type { MessageStream, StreamMuxerFactory } from "@libp2p/interface";
import { yamux } from "@libp2p/yamux";
import { RateLimit } from "../../events/rate-limit.ts";
import { guardAsked, guardAsking } from "./multistream-select.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

/** Largest receive window of a stream, and so the largest frame. */
const MAX_WINDOW_BYTES = 2 * MIB;
/** Streams that a peer may have open; the protocols' own limits are far below. */
const MAX_STREAMS = 256;
/** Bytes unsent on one stream before it is reset. */
const MAX_UNSENT_BYTES = 16 * MIB;
const MAX_UNREAD_BYTES = 4 * MIB;
/** Bytes that wait for the socket; streams wait for themselves, so these are mostly the muxer's own frames. */
const MAX_WAITING_BYTES = 8 * MIB;
/** Pieces of one unfinished frame. Each is one Noise message, which holds 64 KiB. */
const MAX_PIECES = 1024;
/** A connection that takes no bytes for this many milliseconds while some wait is closed. */
const STALLED_MS = 30_000;

/** Frames of a peer: how many at once, and per second from then on. */
const FRAMES = { burst: 100_000, perSecond: 20_000 };
const NEW_STREAMS = { burst: 1_000, perSecond: 200 };
const PINGS = { burst: 50, perSecond: 5 };

const HEADER_BYTES = 12;
const TYPE = { data: 0, ping: 2 } as const;
const FLAG_SYN = 1;

/** A peer broke a limit of the muxer; its connection is closed. */
class MuxerLimitError extends Error {
  constructor(rule: string) {
    super(`the peer sent ${rule}`);
    this.name = "MuxerLimitError";
  }
}

interface FrameHeader {
  type: number;
  flag: number;
  length: number;
}

/** Private parts of yamux 8.0.3; the package's version is pinned. */
interface MuxerInternals {
  readonly decoder: {
    readonly buffer: { readonly byteLength: number; get(index: number): number };
    readFrame(): { header: FrameHeader } | undefined;
  };
  /** Called for each stream that the peer opens, and for each that is opened to it. */
  onRemoteStream(stream: object): void;
  onCreateStream(options: unknown): object;
  send(data: unknown): boolean;
  abort(error: Error): void;
}

/**
 * Yamux with bounds on what a peer can make it hold or do. By itself it collects a frame of any length that the header
 * declares, answers every ping into a buffer without limit, and takes any number of frames. `offered` are the protocols
 * that peers may choose for a stream. The attacks are in test/p2p/scenarios/attacks/muxer.ts.
 */
export function boundedYamux(offered: () => readonly string[]): () => StreamMuxerFactory {
  const create = yamux({
    maxInboundStreams: MAX_STREAMS,
    streamOptions: {
      maxStreamWindowSize: MAX_WINDOW_BYTES,
      maxWriteBufferLength: MAX_UNSENT_BYTES,
      maxReadBufferLength: MAX_UNREAD_BYTES,
    },
  });
  return () => {
    const factory = create();
    const createStreamMuxer = factory.createStreamMuxer.bind(factory);
    factory.createStreamMuxer = (connection) => {
      const muxer = createStreamMuxer(connection);
      const inside = muxer as unknown as MuxerInternals;
      if (inside.decoder?.readFrame === undefined) throw new Error("yamux has no decoder: not the expected version");
      boundFrames(inside);
      guardStreams(inside, offered);
      boundWaiting(inside, connection);
      return muxer;
    };
    return factory;
  };
}

function guardStreams(muxer: MuxerInternals, offered: () => readonly string[]): void {
  const onRemoteStream = muxer.onRemoteStream.bind(muxer);
  muxer.onRemoteStream = (stream) => {
    guardAsked(stream, offered);
    onRemoteStream(stream);
  };
  const onCreateStream = muxer.onCreateStream.bind(muxer);
  muxer.onCreateStream = (options) => {
    const stream = onCreateStream(options);
    guardAsking(stream);
    return stream;
  };
}

/** What the muxer's reader throws closes the connection. */
function boundFrames({ decoder }: MuxerInternals): void {
  const frames = new RateLimit(FRAMES);
  const streams = new RateLimit(NEW_STREAMS);
  const pings = new RateLimit(PINGS);
  const read = decoder.readFrame.bind(decoder);
  let pieces = 0;
  decoder.readFrame = () => {
    const { buffer } = decoder;
    if (buffer.byteLength >= HEADER_BYTES && buffer.get(1) === TYPE.data && declaredLength(buffer) > MAX_WINDOW_BYTES) {
      throw new MuxerLimitError("a frame that is larger than the window");
    }
    const frame = read();
    if (frame === undefined) {
      pieces = buffer.byteLength === 0 ? 0 : pieces + 1;
      if (pieces > MAX_PIECES) throw new MuxerLimitError("a frame in too many pieces");
      return undefined;
    }
    pieces = 0;
    if (!frames.take()) throw new MuxerLimitError("too many frames");
    const { type, flag } = frame.header;
    if (type === TYPE.ping && !pings.take()) throw new MuxerLimitError("too many pings");
    const isNewStream = type !== TYPE.ping && (flag & FLAG_SYN) !== 0;
    if (isNewStream && !streams.take()) throw new MuxerLimitError("too many new streams");
    return frame;
  };
}

function declaredLength(buffer: { get(index: number): number }): number {
  return buffer.get(8) * 2 ** 24 + buffer.get(9) * 2 ** 16 + buffer.get(10) * 2 ** 8 + buffer.get(11);
}

/** Bounds what waits for a peer that does not read. */
function boundWaiting(muxer: MuxerInternals, connection: MessageStream): void {
  connection.maxWriteBufferLength = MAX_WAITING_BYTES;
  let stalledAt: number | undefined;
  connection.addEventListener("drain", () => {
    stalledAt = undefined;
  });
  const send = muxer.send.bind(muxer);
  muxer.send = (data) => {
    const takesMore = send(data);
    if (takesMore) stalledAt = undefined;
    else if (stalledAt === undefined) stalledAt = performance.now();
    else if (performance.now() - stalledAt > STALLED_MS) {
      connection.abort(new MuxerLimitError("nothing and read nothing for too long"));
    }
    return takesMore;
  };
}
