import type { Stream, StreamCloseEvent, StreamMessageEvent } from "@libp2p/interface";
import { concat } from "../../protocol/bytes.ts";

/** Muxer frames of a body; between two of them other streams of the connection get their turn. */
const FRAME_BYTES = 65_524;

/** A stream closed, or was reset, before the exchange was complete. */
class StreamEndedError extends Error {
  constructor(options?: ErrorOptions) {
    super("the stream ended early", options);
    this.name = "StreamEndedError";
  }
}

/** The peer sent more than it may. */
class TooManyBytesError extends Error {
  readonly limit: number;

  constructor(limit: number) {
    super(`the peer sent more than ${limit} bytes`);
    this.name = "TooManyBytesError";
    this.limit = limit;
  }
}

/**
 * Resolves when everything sent so far has been handed to the connection as frames and more may be sent. Rejects when
 * the stream ends. (The stream's own `onDrain` resolves at once from its second use on.)
 */
export function drained(stream: Stream): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      stream.removeEventListener("drain", check);
      stream.removeEventListener("idle", check);
      stream.removeEventListener("close", closed);
    };
    const check = (): void => {
      if (stream.writeBufferLength > 0 || stream.writableNeedsDrain) return;
      stop();
      resolve();
    };
    const closed = (event: StreamCloseEvent): void => {
      stop();
      reject(new StreamEndedError({ cause: event.error }));
    };
    if (stream.status !== "open" || stream.writeStatus !== "writable") return reject(new StreamEndedError());
    stream.addEventListener("drain", check);
    stream.addEventListener("idle", check);
    stream.addEventListener("close", closed);
    check();
  });
}

/** Sends `bytes` as one frame, separate from everything before and after it. At most 64 KiB. */
export async function sendFrame(stream: Stream, bytes: Uint8Array): Promise<void> {
  await drained(stream);
  stream.send(bytes);
  await drained(stream);
}

/**
 * Sends an answer and closes the write side. The status is a frame of its own: the reference takes the first frame for
 * the status and would find none in a longer one.
 */
export async function sendAnswer(stream: Stream, status: number, body: Uint8Array): Promise<void> {
  await sendFrame(stream, Uint8Array.of(status));
  for (let at = 0; at < body.length; at += FRAME_BYTES) await sendFrame(stream, body.subarray(at, at + FRAME_BYTES));
  await stream.close();
}

/** What to do with bytes of a stream; each function may throw to end the stream. */
interface Reader<T> {
  /** A result ends the wait; later bytes are still counted. */
  onBytes(bytes: Uint8Array): T | undefined;
  /** The peer closed its write side. */
  onEnd(): T;
}

function read<T>(stream: Stream, limit: number, reader: Reader<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let received = 0;
    let ended = false;
    const onMessage = ({ data }: StreamMessageEvent): void => {
      try {
        received += data.byteLength;
        if (received > limit) throw new TooManyBytesError(limit);
        const result = reader.onBytes(data.subarray());
        if (result !== undefined) resolve(result);
      } catch (error) {
        reject(error);
        stream.abort(error as Error);
      }
    };
    // A frame may carry bytes and the end of the stream at once; the end is announced first.
    const onEnd = (): void => {
      ended = true;
      queueMicrotask(() => resolve(reader.onEnd()));
    };
    const onClose = ({ error }: StreamCloseEvent): void => {
      if (!ended) reject(new StreamEndedError({ cause: error }));
    };
    stream.addEventListener("close", onClose);
    stream.addEventListener("remoteCloseWrite", onEnd);
    stream.addEventListener("message", onMessage);
    if (stream.status !== "open") reject(new StreamEndedError());
    // Bytes that came before the listener are handed out in a microtask that is queued already.
    else if (stream.remoteWriteStatus !== "writable") onEnd();
  });
}

/**
 * The first message of a stream is the whole request; undefined if the peer closes its write side without one. Further
 * bytes are dropped, and end the stream when the total exceeds `limit`.
 */
export function readRequest(stream: Stream, limit: number): Promise<Uint8Array | undefined> {
  return read<{ request?: Uint8Array }>(stream, limit, {
    onBytes: (bytes) => ({ request: bytes }),
    onEnd: () => ({}),
  }).then(({ request }) => request);
}

/**
 * All bytes up to the end of the stream, whatever its frames. `hold` is called with the length of each part and may
 * throw.
 */
export function readAll(stream: Stream, limit: number, hold: (bytes: number) => void): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  return read<Uint8Array>(stream, limit, {
    onBytes: (bytes) => {
      hold(bytes.length);
      parts.push(bytes);
      return undefined;
    },
    onEnd: () => concat(...parts),
  });
}
