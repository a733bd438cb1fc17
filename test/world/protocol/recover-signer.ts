import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { concat } from "../../../src/protocol/bytes.ts";

/** RecoverSigner by a library that no node uses for it. */
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
