import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");
const CODE = 10;
const CUSTOM = 0;
const FUNCTION_NAMES = 1;

class WasmBytes {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  /** Unsigned LEB128. */
  u32(): number {
    for (let value = 0, shift = 0; ; shift += 7) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  }

  take(length: number): Uint8Array {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  text(): string {
    return Buffer.from(this.take(this.u32())).toString("utf8");
  }
}

/** Contents of the sections with the given number. */
function sections(module: Uint8Array, wanted: number): Uint8Array[] {
  const reader = new WasmBytes(module, 8);
  const found: Uint8Array[] = [];
  while (reader.at < module.length) {
    const id = reader.bytes[reader.at++];
    const body = reader.take(reader.u32());
    if (id === wanted) found.push(body);
  }
  return found;
}

/** Names by function number from a module's name section (WebAssembly specification, appendix "Custom Sections"). */
function functionNames(module: Uint8Array): Map<number, string> {
  const names = new Map<number, string>();
  for (const section of sections(module, CUSTOM)) {
    const reader = new WasmBytes(section);
    if (reader.text() !== "name") continue;
    while (reader.at < section.length) {
      const kind = section[reader.at++];
      const part = new WasmBytes(reader.take(reader.u32()));
      if (kind !== FUNCTION_NAMES) continue;
      for (let left = part.u32(); left > 0; left--) names.set(part.u32(), part.text());
    }
  }
  return names;
}

/**
 * Names of the core's functions, which the built core does not contain. The core is compiled again with names; they are
 * used if its code is identical to the built one, and otherwise the result is empty.
 */
export function coreFunctionNames(): Map<number, string> {
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-names-"));
  try {
    const named = join(folder, "core.wasm");
    const args = ["assembly/index.ts", "--config", "asconfig.json", "--debug", "--outFile", named];
    execFileSync(join(ROOT, "node_modules", ".bin", "asc"), args, { cwd: ROOT, stdio: "ignore" });
    const module = readFileSync(named);
    const [built] = sections(readFileSync(join(ROOT, "build", "wasm", "core.wasm")), CODE);
    const [code] = sections(module, CODE);
    return Buffer.compare(built, code) === 0 ? functionNames(module) : new Map();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
