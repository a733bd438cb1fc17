import { compressSync } from "snappy";
import { uncompressBlockSync } from "../snappy-block.ts";

/** Gossipsub's transform of messages: raw snappy blocks, empty data unchanged. Each topic has a limit of its own. */
export function snappyTransform(limitOf: (topic: string) => number) {
  return {
    /** Throws a DecodeError; a declared size above the limit is refused before anything is decompressed. */
    inboundTransform(topic: string, data: Uint8Array): Uint8Array {
      return data.length === 0 ? data : uncompressBlockSync(data, limitOf(topic));
    },
    outboundTransform(_topic: string, data: Uint8Array): Uint8Array {
      return data.length === 0 ? data : compressSync(data);
    },
  };
}
