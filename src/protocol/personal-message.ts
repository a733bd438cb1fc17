import { keccak_256 } from "@noble/hashes/sha3.js";
import { concat } from "./bytes.ts";

const PREFIX = new TextEncoder().encode("\x19Ethereum Signed Message:\n32");

/** EIP-191 hash of a 32-byte digest. */
export function personalMessage(digest: Uint8Array): Uint8Array {
  return keccak_256(concat(PREFIX, digest));
}
