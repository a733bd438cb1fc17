import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadCore } from "../../src/core/load-core.ts";
import { WasmCore } from "../../src/core/wasm-core.ts";
import { fromHex } from "../../src/protocol/bytes.ts";

/** Opcodes of f64x2.relaxed_madd and f64x2.relaxed_nmadd. */
const MADD = Buffer.from([0xfd, 0x87, 0x02]);
const NEGATED_MADD = Buffer.from([0xfd, 0x88, 0x02]);

/** The core with an inexact multiply-add, as on a processor without a fused one. */
function coreWithAnotherMultiplyAdd(): Uint8Array<ArrayBuffer> {
  const code = readFileSync(new URL("../../build/wasm/core.wasm", import.meta.url));
  for (let at = code.indexOf(MADD); at !== -1; at = code.indexOf(MADD, at)) NEGATED_MADD.copy(code, at);
  return new Uint8Array(code);
}

test("the core falls back to integer lanes where multiply-adds are not exact", () => {
  const core = new WasmCore(new WebAssembly.Module(coreWithAnotherMultiplyAdd()), "lanes");
  const expected = loadCore({ build: "scalar" });
  const inputs = fromHex("07".repeat(6 * 32));
  expect(core.build).toBe("integer-lanes");
  expect(core.hash(inputs)).toEqual(expected.hash(inputs));
  expect(core.hashMany(inputs, 2)).toEqual(expected.hashMany(inputs, 2));
  expect(core.merkle().zeroHashes).toEqual(expected.merkle().zeroHashes);
});
