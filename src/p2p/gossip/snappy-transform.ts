import { compressSync, uncompressSync } from "snappy";

/** The declared size of a compressed message is missing, or above the topic's limit. */
export class CompressedSizeError extends Error {
  readonly declared: number | undefined;
  readonly limit: number;

  constructor(declared: number | undefined, limit: number) {
    const size = declared === undefined ? "no size" : `${declared} bytes`;
    super(`a compressed message declares ${size}, at most ${limit} are allowed`);
    this.name = "CompressedSizeError";
    this.declared = declared;
    this.limit = limit;
  }
}

/** Most bytes of the varint at the start of a raw snappy block. */
const MAX_PREAMBLE = 5;

/** Uncompressed size that a raw snappy block declares; undefined if its preamble is cut off or above 32 bits. */
export function declaredSize(compressed: Uint8Array): number | undefined {
  let size = 0;
  for (let i = 0; i < Math.min(MAX_PREAMBLE, compressed.length); i++) {
    size += (compressed[i] & 0x7f) * 2 ** (7 * i);
    if (compressed[i] < 0x80) return size < 2 ** 32 ? size : undefined;
  }
  return undefined;
}

/**
 * Decompresses a raw snappy block. Empty data stays empty. Throws a CompressedSizeError before anything is
 * decompressed, and an Error for data that is not snappy.
 */
export function decompress(compressed: Uint8Array, limit: number): Uint8Array {
  if (compressed.length === 0) return compressed;
  const declared = declaredSize(compressed);
  if (declared === undefined || declared > limit) throw new CompressedSizeError(declared, limit);
  const bytes = uncompressSync(compressed, { asBuffer: true });
  if (typeof bytes === "string") throw new TypeError("snappy returned text");
  return bytes;
}

/** Compresses to a raw snappy block. Empty data stays empty. */
export function compress(data: Uint8Array): Uint8Array {
  return data.length === 0 ? data : compressSync(data);
}

/** Gossipsub's transform of messages: each topic has a limit of its own. */
export function snappyTransform(limitOf: (topic: string) => number) {
  return {
    inboundTransform: (topic: string, data: Uint8Array) => decompress(data, limitOf(topic)),
    outboundTransform: (_topic: string, data: Uint8Array) => compress(data),
  };
}
