// The library's native programs need a newer C library than some systems have, so hash with WebAssembly. Skip the
// download of proof parameters, which hashes do not need.
import { BackendType, Barretenberg, BarretenbergSync } from "@aztec/bb.js";

Barretenberg.prototype.initSRSChonk = () => Promise.resolve();
await Barretenberg.initSingleton({ backend: BackendType.Wasm, threads: 1 });
await BarretenbergSync.initSingleton({ backend: BackendType.Wasm });
