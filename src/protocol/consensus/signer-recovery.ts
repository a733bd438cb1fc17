import { nativeRecovery } from "./native-recovery.ts";
import type { RecoverSigner } from "./recover.ts";
import { wasmRecovery } from "./wasm-recovery.ts";

/** The fastest implementation of recoverSigner on this platform: native code, or WebAssembly where there is none. */
export function signerRecovery(): Promise<RecoverSigner> {
  return nativeRecovery().catch(wasmRecovery);
}
