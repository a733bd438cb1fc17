import { detachBuffer } from "../limits/detach-buffer.ts";

/**
 * Bytes that are read past the limit before an oversize request is cut off, so that a client that is merely a little
 * over it gets to read its answer instead of a reset. The published client sends at most 10 MiB at once
 * (docs/protocol/05-rpc.md#538-published-clients).
 */
const DRAINED_BYTES = 16 * 1024 * 1024;

/** Collects one request body. Never holds more than `maxBytes`. */
export class BodyCollector {
  readonly #maxBytes: number;
  #chunks: Uint8Array[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes over `chunk`, which the caller must not reuse. */
  push(chunk: Uint8Array): void {
    this.#length += chunk.length;
    if (this.tooLarge) this.#chunks = [];
    else if (chunk.length > 0) this.#chunks.push(chunk);
  }

  /** Counts a chunk that is only valid now and copies what is kept of it. */
  pushCopy(chunk: Uint8Array): void {
    this.push(this.#length + chunk.length > this.#maxBytes ? chunk : new Uint8Array(chunk));
  }

  get tooLarge(): boolean {
    return this.#length > this.#maxBytes;
  }

  /** So far over the limit that the connection is cut off instead of read to its end. */
  get hopeless(): boolean {
    return this.#length > this.#maxBytes + DRAINED_BYTES;
  }

  take(): Uint8Array {
    if (this.#chunks.length === 1) return this.#chunks[0];
    const body = Buffer.concat(this.#chunks);
    for (const chunk of this.#chunks) detachBuffer(chunk);
    this.#chunks = [];
    return body;
  }
}
