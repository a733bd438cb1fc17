import { kindOf, tagOf, U32 } from "./cell";
import { BASE_TAG, INDIRECT_TAG, OK, RELATIVE_RANGE, setDetails } from "./faults";
import { readable } from "./pages";
import { OPERANDS } from "./program";

/** Resolved operands of the running instruction, u32 each. Used when at least one operand is not direct. */
export const RESOLVED = memory.data(32, 8);

/** Bits of the mode that mean RELATIVE. */
const RELATIVE: u32 = 0x2aaa;

/**
 * Resolves an instruction's operands (docs/protocol/06-public-execution.md#64-addressing) into RESOLVED. Returns a
 * fault.
 */
export function resolve(instruction: usize, mode: u32): u32 {
  let base: u32 = 0;
  if ((mode & RELATIVE) != 0) {
    const cell = readable(0);
    if (kindOf(cell) != U32) {
      setDetails(tagOf(cell), 0);
      return BASE_TAG;
    }
    base = load<u32>(cell);
    const largest = load<u32>(instruction, 16);
    if (<u64>base + <u64>largest > 0xffffffff) {
      setDetails(base, largest);
      return RELATIVE_RANGE;
    }
  }
  let fault = resolveOne(0, instruction, mode, base);
  if (fault != OK) return fault;
  fault = resolveOne(1, instruction, mode, base);
  if (fault != OK) return fault;
  fault = resolveOne(2, instruction, mode, base);
  if (fault != OK) return fault;
  return hasMore(instruction) ? resolveRest(instruction, mode, base) : OK;
}

@inline
function hasMore(instruction: usize): bool {
  return load<u8>(instruction) >= 57;
}

function resolveRest(instruction: usize, mode: u32, base: u32): u32 {
  for (let i: u32 = 3; i < 7; i++) {
    const fault = resolveOne(i, instruction, mode, base);
    if (fault != OK) return fault;
  }
  return OK;
}

@inline
function resolveOne(i: u32, instruction: usize, mode: u32, base: u32): u32 {
  const at = <usize>i << 2;
  const bits = mode >> (2 * i);
  let address = load<u32>(instruction + at, OPERANDS);
  if ((bits & 2) != 0) address += base;
  if ((bits & 1) != 0) {
    const cell = readable(address);
    if (kindOf(cell) != U32) {
      setDetails(address, tagOf(cell));
      return INDIRECT_TAG;
    }
    address = load<u32>(cell);
  }
  store<u32>(RESOLVED + at, address);
  return OK;
}
