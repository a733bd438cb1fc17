import { type RecoverSigner, signerOfKey } from "./recover.ts";

/** Recovery by libsecp256k1 compiled to WebAssembly, in about four times the time of native code; loads in 50 ms. */
export async function wasmRecovery(): Promise<RecoverSigner> {
  const { instantiateSecp256k1 } = await import("@bitauth/libauth/build/lib/crypto/secp256k1.js");
  const { recoverPublicKeyUncompressed } = await instantiateSecp256k1();
  return signerOfKey((hash, signature, parity) => {
    const key = recoverPublicKeyUncompressed(signature, parity, hash);
    return typeof key === "string" ? undefined : key;
  });
}
