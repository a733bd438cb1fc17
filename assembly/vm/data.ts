import { CELL, copyAsField, U32 } from "./cell";
import { requireKind, requireRange } from "./checks";
import { OK, OUT_OF_GAS } from "./faults";
import {
  CALLEE, CALLEE_BASE, CALLEE_SIZE, calldataCell, current, DATA_BASE, DATA_SIZE, FLAT_DATA, PAGES,
} from "./frame";
import { copiedWordGas } from "./instruction-set";
import { isPresent, readable, readableIn, writable } from "./pages";
import { takeL2 } from "./state";

/** Checks the tags and charges the dynamic gas of both copy opcodes. Operands: size, start, destination. */
function chargeCopy(operands: usize): u32 {
  const size = readable(load<u32>(operands));
  const start = readable(load<u32>(operands, 4));
  let fault = requireKind(0, size, U32);
  if (fault == OK) fault = requireKind(1, start, U32);
  if (fault != OK) return fault;
  return takeL2(copiedWordGas * <u64>load<u32>(size)) ? OK : OUT_OF_GAS;
}

/**
 * End of the source cells that a copy reads; the source check depends only on it
 * (docs/protocol/06-public-execution.md#68-copying-data).
 */
@inline
function readEnd(start: u32, size: u32, available: u32): u32 {
  return <u32>min<u64>(<u64>start + <u64>size, <u64>available);
}

/** Sets `count` cells to the field element 0. Skips pages that were never written. */
function clear(at: u32, count: u32): void {
  let i: u32 = 0;
  while (i < count) {
    const run = min(16 - ((at + i) & 15), count - i);
    if (isPresent(at + i)) memory.fill(writable(at + i), 0, <usize>run * CELL);
    i += run;
  }
}

/** CALLDATACOPY. */
export function copyCalldata(operands: usize): u32 {
  const fault = chargeCopy(operands);
  if (fault != OK) return fault;
  const size = load<u32>(readable(load<u32>(operands)));
  const start = load<u32>(readable(load<u32>(operands, 4)));
  const out = load<u32>(operands, 8);
  const frame = current;
  const end = readEnd(start, size, load<u32>(frame, DATA_SIZE));
  const base = load<u32>(frame, FLAT_DATA) != 0 ? 0 : load<u32>(frame, DATA_BASE);
  const range = requireRange(base, end) | requireRange(out, size);
  if (range != OK) return range;
  const copied = end > start ? end - start : 0;
  for (let i: u32 = 0; i < copied; i++) copyAsField(writable(out + i), calldataCell(frame, start + i));
  clear(out + copied, size - copied);
  return OK;
}

/** RETURNDATACOPY. */
export function copyReturndata(operands: usize): u32 {
  const fault = chargeCopy(operands);
  if (fault != OK) return fault;
  const size = load<u32>(readable(load<u32>(operands)));
  const start = load<u32>(readable(load<u32>(operands, 4)));
  const out = load<u32>(operands, 8);
  const frame = current;
  const end = readEnd(start, size, load<u32>(frame, CALLEE_SIZE));
  const base = load<u32>(frame, CALLEE_BASE);
  const range = requireRange(base, end) | requireRange(out, size);
  if (range != OK) return range;
  const copied = end > start ? end - start : 0;
  const source = <usize>load<u32>(frame, CALLEE) + PAGES;
  for (let i: u32 = 0; i < copied; i++) copyAsField(writable(out + i), readableIn(source, base + start + i));
  clear(out + copied, size - copied);
  return OK;
}
