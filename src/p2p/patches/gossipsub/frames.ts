import type { StreamMessageEvent } from "@libp2p/interface";

/** A peer's bytes are not a sequence of frames, or a frame takes too much memory or time. */
export class FrameError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "FrameError";
  }
}

/** Bytes in chunks, in the order in which they came. */
interface FrameSource extends AsyncIterable<StreamMessageEvent["data"]> {
  abort(error: Error): void;
}

interface FrameLimits {
  /** Of one frame. */
  maxBytes: number;
  /** From the first byte of a frame to its last, in milliseconds. */
  completeMs: number;
}

/** Bytes of a varint of 32 bits. */
const MAX_LENGTH_BYTES = 5;
/** Empty frames of a stream. They carry nothing and cost a peer one byte each. */
const MAX_EMPTY = 1_000;
/** First allocation for a frame; it doubles as the frame arrives. */
const FIRST_BYTES = 64 * 1024;

/**
 * Memory for frames that are not complete, over all streams. When there is not enough, the stream with the most is
 * reset.
 */
export class FrameRoom {
  readonly #max: number;
  readonly #held = new Map<FrameSource, number>();
  #used = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get used(): number {
    return this.#used;
  }

  /** The bytes that a stream holds from now on. */
  hold(stream: FrameSource, bytes: number): void {
    this.#used += bytes - (this.#held.get(stream) ?? 0);
    if (bytes === 0) this.#held.delete(stream);
    else this.#held.set(stream, bytes);
    while (this.#used > this.#max) this.#resetLargest();
  }

  #resetLargest(): void {
    let largest: [FrameSource, number] | undefined;
    for (const entry of this.#held) if (largest === undefined || entry[1] > largest[1]) largest = entry;
    if (largest === undefined) return;
    const [stream] = largest;
    this.hold(stream, 0);
    stream.abort(new FrameError("too many bytes of incomplete frames"));
  }
}

/** A frame that is being received. */
class PartialFrame {
  readonly #limits: FrameLimits;
  #lengthBytes = 0;
  #length = 0;
  #bytes: Uint8Array | undefined;
  #filled = 0;

  constructor(limits: FrameLimits) {
    this.#limits = limits;
  }

  /** Whether a byte of it has arrived. */
  get isStarted(): boolean {
    return this.#lengthBytes > 0;
  }

  /** Bytes of memory that it takes. */
  get held(): number {
    return this.#bytes?.length ?? 0;
  }

  /** The whole frame, once it is complete. */
  get complete(): Uint8Array | undefined {
    return this.#bytes !== undefined && this.#filled === this.#length ? this.#bytes : undefined;
  }

  /** Takes bytes of `chunk` from `at` on. Returns the offset after them. Throws a FrameError. */
  take(chunk: Uint8Array, at: number): number {
    if (this.#bytes === undefined) {
      this.#takeLength(chunk[at]);
      return at + 1;
    }
    const room = this.#roomier(this.#bytes);
    const taken = chunk.subarray(at, at + room.length - this.#filled);
    room.set(taken, this.#filled);
    this.#filled += taken.length;
    this.#bytes = room;
    return at + taken.length;
  }

  #takeLength(byte: number): void {
    this.#length += (byte & 0x7f) * 2 ** (7 * this.#lengthBytes++);
    if (byte >= 0x80) {
      if (this.#lengthBytes === MAX_LENGTH_BYTES) throw new FrameError("the length of a frame has too many bytes");
      return;
    }
    if (this.#length > this.#limits.maxBytes) throw new FrameError(`a frame of ${this.#length} bytes is too large`);
    this.#bytes = new Uint8Array(Math.min(this.#length, FIRST_BYTES));
  }

  #roomier(bytes: Uint8Array): Uint8Array {
    if (this.#filled < bytes.length) return bytes;
    const larger = new Uint8Array(Math.min(this.#length, 2 * bytes.length));
    larger.set(bytes);
    return larger;
  }
}

/**
 * The frames of a stream: each a varint with its length, then its bytes. Chunks are copied as they come, so that a
 * frame of many small ones holds no more than its own bytes. Empty frames are left out. Throws a FrameError.
 */
export async function* readFrames(
  stream: FrameSource,
  room: FrameRoom,
  limits: FrameLimits,
): AsyncGenerator<Uint8Array> {
  let partial = new PartialFrame(limits);
  let timer: NodeJS.Timeout | undefined;
  let empty = 0;
  const expire = () => stream.abort(new FrameError("a frame was not complete in time"));
  try {
    for await (const part of stream) {
      const chunk = part.subarray();
      for (let at = 0; at < chunk.length; ) {
        at = partial.take(chunk, at);
        const { complete } = partial;
        if (complete === undefined) continue;
        clearTimeout(timer);
        timer = undefined;
        partial = new PartialFrame(limits);
        if (complete.length > 0) yield complete;
        else if (++empty > MAX_EMPTY) throw new FrameError("too many empty frames");
      }
      if (partial.isStarted) timer ??= setTimeout(expire, limits.completeMs);
      room.hold(stream, partial.held);
    }
  } finally {
    clearTimeout(timer);
    room.hold(stream, 0);
  }
}
