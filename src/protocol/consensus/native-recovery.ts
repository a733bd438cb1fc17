import { keccak_256 } from "@noble/hashes/sha3.js";
import type { RecoverSigner } from "./recover.ts";

/**
 * recoverSigner by libsecp256k1 as native code, which takes about a thirtieth of the time. Loading takes some 50 ms,
 * since the library computes its tables. Rejects where the package has no native code, as on Linux on arm64.
 */
export async function nativeRecovery(): Promise<RecoverSigner> {
  // Not the package's main module, which falls back to JavaScript without a word if the native code cannot be loaded.
  const { default: secp256k1 } = await import("secp256k1/bindings.js");
  const key = new Uint8Array(65);
  return (hash, signature) => {
    const v = signature[64];
    if (signature.length !== 65 || (v !== 27 && v !== 28) || hasHighS(signature)) return undefined;
    try {
      secp256k1.ecdsaRecover(signature.subarray(0, 64), v - 27, hash, false, key);
    } catch {
      return undefined;
    }
    return keccak_256(key.subarray(1)).slice(12);
  };
}

/** Half the order of the curve, rounded down: the largest s of a low signature (SEC 2, section 2.4.1; BIP 62). */
const MAX_LOW_S = Buffer.from("7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0", "hex");

function hasHighS(signature: Uint8Array): boolean {
  return Buffer.compare(signature.subarray(32, 64), MAX_LOW_S) > 0;
}
