import type { FieldArithmetic } from "./core.ts";
import { requireBytes } from "./operands.ts";
import type { CoreExports } from "./wasm-exports.ts";
import type { WasmMemory } from "./wasm-memory.ts";

/** Addresses of the result and of two operands. */
type FieldOperation = (out: number, a: number, b: number) => void;

/** Field arithmetic on a core's instance. */
export function wasmField(exports: CoreExports, memory: WasmMemory): FieldArithmetic {
  const binary = (operation: FieldOperation, a: Uint8Array, b: Uint8Array): Uint8Array => {
    requireBytes("operand", a, 32);
    requireBytes("operand", b, 32);
    const at = memory.reserve(64);
    memory.copyIn(at, a);
    memory.copyIn(at + 32, b);
    operation(at, at, at + 32);
    return memory.copyOut(at, 32);
  };
  return {
    add: (a, b) => binary(exports.addWords, a, b),
    sub: (a, b) => binary(exports.subtractWords, a, b),
    mul: (a, b) => binary(exports.multiplyWords, a, b),
    div: (a, b) => binary(exports.divideWords, a, b),
  };
}
