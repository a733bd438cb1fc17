import { readU32 } from "../../protocol/bytes.ts";
import { FrameError } from "./errors.ts";

/**
 * A frame (docs/feed.md): length of the payload u32 | encoding u8 | payload. A packed payload starts with its unpacked
 * length u32, which `length` includes.
 */
export const FRAME_HEAD_BYTES = 5;
export const PLAIN = 0;
export const PACKED = 1;

/** A checkpoint has at most six blobs, 768 KiB, beside its attestations; frames with several end at 512 KiB. */
export const MAX_PAYLOAD_BYTES = 2 * 1024 * 1024;

export interface RawFrame {
  encoding: typeof PLAIN | typeof PACKED;
  payload: Uint8Array;
}

/** Cuts a stream of bytes into frames. Holds at most one incomplete frame, whatever the pieces are. */
export class FrameReader {
  readonly #head = new Uint8Array(FRAME_HEAD_BYTES);
  #headBytes = 0;
  /** Of the frame whose head is complete. */
  #payload: Uint8Array | undefined;
  #payloadBytes = 0;

  /** Adds bytes, split anywhere. Returns the frames that they complete. Throws FrameError. */
  push(bytes: Uint8Array): RawFrame[] {
    const frames: RawFrame[] = [];
    for (let at = 0; at < bytes.length; ) {
      if (this.#payload === undefined) {
        const part = bytes.subarray(at, at + FRAME_HEAD_BYTES - this.#headBytes);
        this.#head.set(part, this.#headBytes);
        this.#headBytes += part.length;
        at += part.length;
        if (this.#headBytes < FRAME_HEAD_BYTES) break;
        this.#begin();
      }
      const payload = this.#payload!;
      const part = bytes.subarray(at, at + payload.length - this.#payloadBytes);
      payload.set(part, this.#payloadBytes);
      this.#payloadBytes += part.length;
      at += part.length;
      if (this.#payloadBytes === payload.length) frames.push(this.#end(payload));
    }
    return frames;
  }

  /** Whether the last byte so far ended a frame. */
  get atFrameEnd(): boolean {
    return this.#headBytes === 0;
  }

  /** Bytes of the frame that is incomplete, once its length is known, else 0. */
  get awaited(): number {
    return this.#payload?.length ?? 0;
  }

  #begin(): void {
    const length = readU32(this.#head, 0);
    if (length < 1 || length > MAX_PAYLOAD_BYTES) {
      throw new FrameError("frame length", `must be from 1 to ${MAX_PAYLOAD_BYTES}, got ${length}`);
    }
    const encoding = this.#head[4];
    if (encoding !== PLAIN && encoding !== PACKED) {
      throw new FrameError("frame encoding", `must be ${PLAIN} or ${PACKED}, got ${encoding}`);
    }
    this.#payload = new Uint8Array(length);
    this.#payloadBytes = 0;
  }

  #end(payload: Uint8Array): RawFrame {
    this.#payload = undefined;
    this.#headBytes = 0;
    return { encoding: this.#head[4] === PACKED ? PACKED : PLAIN, payload };
  }
}
