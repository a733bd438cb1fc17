import { nativeRecovery } from "./native-recovery.ts";
import type { RecoverSigner } from "./recover.ts";
import { wasmRecovery } from "./wasm-recovery.ts";

let loaded: Promise<RecoverSigner> | undefined;

/** Recovery of signers by libsecp256k1: native code, or WebAssembly where there is none. Loaded for the first caller. */
export function signerRecovery(): Promise<RecoverSigner> {
  loaded ??= nativeRecovery().catch(wasmRecovery);
  return loaded;
}
