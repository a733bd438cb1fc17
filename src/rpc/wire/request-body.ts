import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { detachBuffer } from "../limits/detach-buffer.ts";

/** Media types whose body is read as JSON (docs/protocol/05-rpc.md#52-envelope). */
const JSON_TYPES = new Set([
  "application/json",
  "application/json-patch+json",
  "application/vnd.api+json",
  "application/csp-report",
  "application/scim+json",
]);

export function isJsonType(contentType: string): boolean {
  const end = contentType.indexOf(";");
  return JSON_TYPES.has((end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase());
}

/** The encoding named in a request's Content-Encoding is not one that is decoded. */
export class UnsupportedEncodingError extends Error {
  readonly encoding: string;
  constructor(encoding: string) {
    super(`Unsupported Content-Encoding: ${encoding}`);
    this.name = "UnsupportedEncodingError";
    this.encoding = encoding;
  }
}

/**
 * A body does not decompress. The message is the one of the wire (docs/protocol/05-rpc.md#54-statuses-and-failures).
 */
export class CorruptBodyError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CorruptBodyError";
  }
}

/** A body exceeds the limit, as sent or once decompressed. */
export class BodyTooLargeError extends Error {
  readonly limit: number;
  constructor(limit: number, options?: ErrorOptions) {
    super(`request entity too large: the limit is ${limit} bytes`, options);
    this.name = "BodyTooLargeError";
    this.limit = limit;
  }
}

type Decompress = (body: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>;

/** Decoders by encoding name; output beyond `maxOutputLength` is never allocated. */
const DECOMPRESS = new Map<string, Decompress>([
  ["gzip", promisify(gunzip) as Decompress],
  ["deflate", promisify(inflate) as Decompress],
  ["br", promisify(brotliDecompress) as Decompress],
]);

/** Normal form of a Content-Encoding header. Throws an UnsupportedEncodingError. */
export function contentEncoding(header: string): string {
  const encoding = header.trim().toLowerCase() || "identity";
  if (encoding !== "identity" && !DECOMPRESS.has(encoding)) throw new UnsupportedEncodingError(encoding);
  return encoding;
}

/**
 * Most bytes of a compressed body that can decompress to `limit` bytes: none of the formats grows its input by more.
 */
export function compressedLimit(limit: number): number {
  return limit + (limit >> 6) + 1024;
}

/** Rejects with BodyTooLargeError or CorruptBodyError. `encoding` is a normal form other than identity. */
export async function decompressed(body: Uint8Array, encoding: string, limit: number): Promise<Uint8Array> {
  try {
    // Zero is no valid bound, and one byte over the limit is enough to see that it is passed.
    return await DECOMPRESS.get(encoding)!(body, { maxOutputLength: Math.max(limit, 1) });
  } catch (cause) {
    if (cause instanceof RangeError) throw new BodyTooLargeError(limit, { cause });
    const message = encoding === "br" ? "Decompression failed" : (cause as Error).message;
    throw new CorruptBodyError(message, { cause });
  }
}

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
