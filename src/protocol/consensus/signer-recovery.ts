import { nativeRecovery } from "./native-recovery.ts";
import type { RecoverSigner } from "./recover.ts";
import { wasmRecovery } from "./wasm-recovery.ts";

let loaded: Promise<RecoverSigner> | undefined;

/** Recovers signers by libsecp256k1: native code, or WebAssembly where there is none. Loaded at the first call. */
export function signerRecovery(): Promise<RecoverSigner> {
  loaded ??= nativeRecovery().catch(wasmRecovery);
  return loaded;
}
