import { concat, u32Bytes } from "../../../protocol/bytes.ts";
import { WireReader } from "../../../protocol/consensus/wire-reader.ts";

/** What a node says of itself when peers connect (docs/protocol/10-peers.md#1014-sub-protocols). */
export interface StatusMessage {
  /** The version string, which must be the same on all nodes of a network. */
  version: string;
  latestBlock: number;
  /** 0x hex, or empty. */
  latestHash: string;
  finalizedBlock: number;
}

const MAX_VERSION_BYTES = 64;
const MAX_HASH_BYTES = 128;

const text = new TextDecoder();

function readText(reader: WireReader, most: number, part: string): string {
  const length = reader.u32(`length of the ${part}`);
  if (length > most) reader.fail(`${part} must have at most ${most} bytes, got ${length}`);
  return text.decode(reader.take(length, part));
}

export function readStatus(reader: WireReader): StatusMessage {
  return {
    version: readText(reader, MAX_VERSION_BYTES, "version"),
    latestBlock: reader.u32("latest block"),
    latestHash: readText(reader, MAX_HASH_BYTES, "latest hash"),
    finalizedBlock: reader.u32("finalized block"),
  };
}

/** Throws a DecodeError. Bytes after the message are ignored. */
export function decodeStatus(bytes: Uint8Array): StatusMessage {
  return readStatus(new WireReader(bytes, "status message"));
}

export function encodeStatus({ version, latestBlock, latestHash, finalizedBlock }: StatusMessage): Uint8Array {
  return concat(encodeText(version), u32Bytes(latestBlock), encodeText(latestHash), u32Bytes(finalizedBlock));
}

function encodeText(value: string): Uint8Array {
  const bytes = new TextEncoder().encode(value);
  return concat(u32Bytes(bytes.length), bytes);
}
