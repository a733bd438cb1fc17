import { compressSync } from "snappy";
import { uncompressBlockSync } from "../streams/snappy-block.ts";

/** Frames end at 4 MiB; the rest is for the topic and lengths. */
const MAX_COMPRESSED_BYTES = 4 * 2 ** 20 - 1024;

/** Gossipsub's transform of messages: raw snappy blocks, empty data unchanged. Each topic has a limit of its own. */
export function snappyTransform(limitOf: (topic: string) => number) {
  return {
    /** Throws a DecodeError; a declared size above the limit is refused before anything is decompressed. */
    inboundTransform(topic: string, data: Uint8Array): Uint8Array {
      return data.length === 0 ? data : uncompressBlockSync(data, limitOf(topic));
    },
    /** Throws a RangeError for a message that is too large for a frame. */
    outboundTransform(_topic: string, data: Uint8Array): Uint8Array {
      const block = data.length === 0 ? data : compressSync(data);
      if (block.length <= MAX_COMPRESSED_BYTES) return block;
      throw new RangeError(`a compressed message has at most ${MAX_COMPRESSED_BYTES} bytes, got ${block.length}`);
    },
  };
}
