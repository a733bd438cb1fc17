import { DuplicateKeyError, type LinkBatch, type LinkedLeaves } from "./core.ts";
import { requireBytes } from "./operands.ts";
import type { CoreExports } from "./wasm-exports.ts";
import type { WasmMemory } from "./wasm-memory.ts";

/** Links the new leaves of an indexed tree on a core's instance, as Core.linkLeaves says. */
export function linkLeaves(exports: CoreExports, memory: WasmMemory, batch: LinkBatch): LinkedLeaves {
  const n = batch.positions.length;
  requireBytes("keys", batch.keys, n * 32);
  requireBytes("lowNextKeys", batch.lowNextKeys, n * 32);
  if (batch.lowIndexes.length !== n || batch.lowNextIndexes.length !== n) {
    throw new RangeError(`${n} positions with ${batch.lowIndexes.length} low indexes`);
  }
  const keys = memory.reserve(n * (3 * 32 + 4 * 8 + 3 * 4));
  const lowNextKeys = keys + n * 32;
  const nextKeys = lowNextKeys + n * 32;
  const positions = nextKeys + n * 32;
  const lows = positions + n * 8;
  const lowNextIndexes = lows + n * 8;
  const nextIndexes = lowNextIndexes + n * 8;
  const order = nextIndexes + n * 8;
  const heads = order + n * 8;
  memory.copyIn(keys, batch.keys);
  memory.copyIn(lowNextKeys, batch.lowNextKeys);
  memory.copyInF64(positions, batch.positions);
  memory.copyInF64(lows, batch.lowIndexes);
  memory.copyInF64(lowNextIndexes, batch.lowNextIndexes);
  const headCount = exports.linkLeaves(
    n,
    keys,
    positions,
    lows,
    lowNextKeys,
    lowNextIndexes,
    order,
    nextKeys,
    nextIndexes,
    heads,
  );
  const key = (i: number) => batch.keys.slice(i * 32, i * 32 + 32);
  if (headCount < 0) throw new DuplicateKeyError(key(-1 - headCount));
  return {
    nextKeys: memory.copyOut(nextKeys, n * 32),
    nextIndexes: Array.from(memory.copyOutF64(nextIndexes, n)),
    lows: Array.from(memory.copyOutU32(heads, headCount), (i) => ({
      index: batch.lowIndexes[i],
      nextKey: key(i),
      nextIndex: batch.positions[i],
    })),
  };
}
