import { readFileSync } from "node:fs";
import { OperatorError } from "../errors/operator-error.ts";
import type { Core, CoreBuild } from "./core.ts";
import { WasmCore } from "./wasm-core.ts";

/** The compiled core is missing. */
export class CoreNotBuiltError extends OperatorError {
  override readonly errorCode: string = "core-not-built";

  readonly path: string;
  constructor(path: string, options?: ErrorOptions) {
    super(`the WASM core is not built: ${path} is missing. Run: npm run build:wasm`, options);
    this.name = "CoreNotBuiltError";
    this.path = path;
  }
}

/** This file is src/core/load-core.ts in the package's source, and build/src/core/load-core.js once compiled. */
function wasmUrl(): URL {
  const fromPackageRoot = import.meta.url.endsWith(".ts") ? "../../build/wasm/core.wasm" : "../../wasm/core.wasm";
  return new URL(fromPackageRoot, import.meta.url);
}

let compiled: WebAssembly.Module | undefined;

function compile(): WebAssembly.Module {
  const url = wasmUrl();
  let bytes: Buffer;
  try {
    bytes = readFileSync(url);
  } catch (error) {
    throw new CoreNotBuiltError(url.pathname, { cause: error });
  }
  return new WebAssembly.Module(new Uint8Array(bytes));
}

/** Options of an instance. */
interface CoreOptions {
  /** How to hash; "lanes" falls back to "integer-lanes" where fused multiply-adds are not exact. Default "lanes". */
  build?: CoreBuild;
}

/**
 * Creates an instance of the core. The code is compiled once per thread; instances share nothing else. Its `build` is
 * the form in use. Throws CoreNotBuiltError when the compiled core is missing.
 */
export function loadCore({ build }: CoreOptions = {}): Core {
  compiled ??= compile();
  return new WasmCore(compiled, build);
}
