import { readFileSync } from "node:fs";
import { CoreNotBuiltError } from "../../core/load-core.ts";

/** This file is in src/execution/vm/ of the package as source and in build/src/execution/vm/ when compiled. */
function wasmUrl(): URL {
  const fromPackageRoot = import.meta.url.endsWith(".ts") ? "../../../build/wasm/vm.wasm" : "../../../wasm/vm.wasm";
  return new URL(fromPackageRoot, import.meta.url);
}

let compiled: WebAssembly.Module | undefined;

/** Compiles the WebAssembly of assembly/vm, once per thread. Throws CoreNotBuiltError when the file is missing. */
export function vmModule(): WebAssembly.Module {
  if (compiled !== undefined) return compiled;
  const url = wasmUrl();
  let bytes: Buffer;
  try {
    bytes = readFileSync(url);
  } catch (error) {
    throw new CoreNotBuiltError(url.pathname, { cause: error });
  }
  compiled = new WebAssembly.Module(new Uint8Array(bytes));
  return compiled;
}
