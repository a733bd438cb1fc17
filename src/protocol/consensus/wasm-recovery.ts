import { keccak_256 } from "@noble/hashes/sha3.js";
import type { RecoverSigner } from "./recover.ts";

/**
 * recoverSigner by libsecp256k1 compiled to WebAssembly, which takes about an eighth of the time. Loading takes some
 * 50 ms.
 */
export async function wasmRecovery(): Promise<RecoverSigner> {
  const { instantiateSecp256k1 } = await import("@bitauth/libauth/build/lib/crypto/secp256k1.js");
  const { recoverPublicKeyUncompressed } = await instantiateSecp256k1();
  return (hash, signature) => {
    const v = signature[64];
    if (signature.length !== 65 || (v !== 27 && v !== 28) || hasHighS(signature)) return undefined;
    const key = recoverPublicKeyUncompressed(signature.subarray(0, 64), v === 27 ? 0 : 1, hash);
    return typeof key === "string" ? undefined : keccak_256(key.subarray(1)).slice(12);
  };
}

/** Half the order of the curve, rounded down: the largest s of a low signature (SEC 2, section 2.4.1; BIP 62). */
const MAX_LOW_S = Buffer.from("7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0", "hex");

function hasHighS(signature: Uint8Array): boolean {
  return Buffer.compare(signature.subarray(32, 64), MAX_LOW_S) > 0;
}
