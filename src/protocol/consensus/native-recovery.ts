import { type RecoverSigner, signerOfKey } from "./recover.ts";

/**
 * Recovery by libsecp256k1 as native code. Loading takes some 50 ms, since the library computes its tables. Rejects
 * where
 * the package has no native code, as on Linux on arm64.
 */
export async function nativeRecovery(): Promise<RecoverSigner> {
  // Not the package's main module, which falls back to JavaScript without a word if the native code cannot be loaded.
  const { default: secp256k1 } = await import("secp256k1/bindings.js");
  const key = new Uint8Array(65);
  return signerOfKey((hash, signature, parity) => {
    try {
      return secp256k1.ecdsaRecover(signature, parity, hash, false, key);
    } catch {
      return undefined;
    }
  });
}
