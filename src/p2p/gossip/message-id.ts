import { createHash, randomBytes } from "node:crypto";
import xxhash from "xxhash-wasm";

/** Bytes of a message id. */
const ID_BYTES = 20;

/**
 * First 20 bytes of SHA-256 over the topic's name and the decompressed message with its wrapper
 * (docs/protocol/10-peers.md#107-gossip).
 */
export function messageId(topic: string, message: Uint8Array): Uint8Array {
  return createHash("sha256").update(topic).update(message).digest().subarray(0, ID_BYTES);
}

/** Message id for logs, of its mapKey. */
export function messageIdText(key: string): string {
  return `0x${Buffer.from(key, "latin1").toString("hex")}`;
}

/** Local key of a compressed message, to recognize duplicates before they are decompressed. */
type FastKey = (message: { topic: string; data?: Uint8Array }) => string;

/**
 * Hashes with a random seed, so that no peer can find two messages with the same key. The key includes the topic:
 * otherwise a peer could send a proposal's bytes on another topic, and the proposal would be taken for a duplicate.
 */
export async function fastKeys(topics: readonly string[]): Promise<FastKey> {
  const { h64Raw } = await xxhash();
  const seed = randomBytes(8).readBigUInt64LE();
  return ({ topic, data }) => `${topics.indexOf(topic)} ${h64Raw(data ?? NO_DATA, seed).toString(36)}`;
}

const NO_DATA = new Uint8Array(0);
