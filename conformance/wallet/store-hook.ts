/**
 * Preloaded: the wallet keeps its data in the LMDB of npm. The store that it would take by default is part of the
 * library's native module, which needs glibc 2.38.
 */
import { registerHooks } from "node:module";

const STORE = new URL("./temporary-store.ts", import.meta.url).href;

registerHooks({
  resolve(specifier, context, nextResolve) {
    return nextResolve(specifier === "@aztec/kv-store/lmdb-v2" ? STORE : specifier, context);
  },
});
