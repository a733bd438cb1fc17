import { hash } from "node:crypto";

/**
 * SHA-256 truncated to a field: a zero byte, then the first 31 bytes of the digest
 * (docs/protocol/01-fields-and-hashing.md#111-sha-256-and-keccak).
 */
export function shaField(...parts: Uint8Array[]): Uint8Array {
  const digest = hash("sha256", parts.length === 1 ? parts[0] : Buffer.concat(parts), "buffer");
  const out = new Uint8Array(32);
  out.set(digest.subarray(0, 31), 1);
  return out;
}
