import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { concat, isZero } from "../bytes.ts";

/** recoverSigner, or another implementation of it. */
export type RecoverSigner = (hash: Uint8Array, signature: Uint8Array) => Uint8Array | undefined;

/**
 * Address (20 bytes) whose key signed a 32-byte hash. Undefined when the signature (r, s, v: 65 bytes) is not valid: v
 * other than 27 or 28, s in the upper half, r or s out of range, no such point
 * (docs/protocol/04-l1-contracts.md#425-digests-and-signatures).
 */
export function recoverSigner(hash: Uint8Array, signature: Uint8Array): Uint8Array | undefined {
  const v = signature[64];
  if (signature.length !== 65 || (v !== 27 && v !== 28)) return undefined;
  try {
    const parsed = secp256k1.Signature.fromBytes(signature.subarray(0, 64), "compact");
    if (parsed.hasHighS()) return undefined;
    const key = secp256k1.recoverPublicKey(concat(Uint8Array.of(v - 27), signature.subarray(0, 64)), hash, {
      prehash: false,
    });
    return keccak_256(secp256k1.Point.fromBytes(key).toBytes(false).subarray(1)).slice(12);
  } catch {
    return undefined;
  }
}

/** An all-zero signature means no signature. */
export function isEmptySignature(signature: Uint8Array | undefined): boolean {
  return signature === undefined || isZero(signature);
}
