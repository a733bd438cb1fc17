import { CELL, INTEGER, kindOf, TAG_FF, tagOf } from "./cell";
import { OK, operandTag, setDetails, SLICE_RANGE, SLICE_TAG } from "./faults";
import { readable } from "./pages";

/** Returns a fault unless `cell`, operand `index`, is a field element. */
@inline
export function requireField(index: u32, cell: usize): u32 {
  return kindOf(cell) < INTEGER ? OK : operandTag(index, tagOf(cell), TAG_FF);
}

/** Returns a fault unless operand `index` is an integer of that kind. */
@inline
export function requireKind(index: u32, cell: usize, kind: u32): u32 {
  return kindOf(cell) == kind ? OK : operandTag(index, tagOf(cell), kind - INTEGER);
}

/** Returns a fault unless cells `at` to `at + size - 1` lie in memory. */
@inline
export function requireRange(at: u32, size: u64): u32 {
  return <u64>at + size <= 0x100000000 ? OK : SLICE_RANGE;
}

/**
 * Copies `count` cells of one kind (0 for fields) to `out`; they must be in range. Returns a fault when one has another
 * tag.
 */
export function gather(out: usize, at: u32, count: u32, kind: u32): u32 {
  for (let i: u32 = 0; i < count; i++) {
    const cell = readable(at + i);
    const found = kindOf(cell);
    if (kind == 0 ? found >= INTEGER : found != kind) {
      setDetails(i, tagOf(cell));
      return SLICE_TAG;
    }
    const to = out + CELL * <usize>i;
    v128.store(to, v128.load(cell));
    v128.store(to, v128.load(cell, 16), 16);
  }
  return OK;
}
