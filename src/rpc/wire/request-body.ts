import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";

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
