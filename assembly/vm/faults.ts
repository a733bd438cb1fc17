/**
 * Reasons of a halt (docs/protocol/06-public-execution.md#632-texts-of-halts). src/execution/vm/halt-message.ts has the
 * message of each number.
 */
export const OK: u32 = 0;
export const INVALID_PC: u32 = 1;
export const INVALID_OPCODE: u32 = 2;
export const CUT_SHORT: u32 = 3;
export const INVALID_TAG: u32 = 4;
export const BASE_TAG: u32 = 5;
export const RELATIVE_RANGE: u32 = 6;
export const INDIRECT_TAG: u32 = 7;
export const OUT_OF_GAS: u32 = 8;
export const OPERAND_TAG: u32 = 9;
export const OPERAND_TAGS_DIFFER: u32 = 10;
export const FIELD_OPERAND: u32 = 11;
export const DIVISION_BY_ZERO: u32 = 12;
export const SLICE_RANGE: u32 = 13;
export const SLICE_TAG: u32 = 14;
export const INVALID_VARIABLE: u32 = 15;
export const INTERNAL_STACK_EMPTY: u32 = 16;
export const STATIC_CONTEXT: u32 = 17;
export const TOO_MANY_WRITES: u32 = 18;
export const TOO_MANY_NOTE_HASHES: u32 = 19;
export const TOO_MANY_NULLIFIERS: u32 = 20;
export const DUPLICATE_NULLIFIER: u32 = 21;
export const TOO_MANY_MESSAGES: u32 = 22;
export const RECIPIENT_RANGE: u32 = 23;
export const TOO_MANY_LOG_FIELDS: u32 = 24;
export const INVALID_MEMBER: u32 = 25;
export const NOT_ON_CURVE: u32 = 26;
export const RADIX_RANGE: u32 = 27;
export const NO_LIMBS: u32 = 28;
export const NOT_BITS: u32 = 29;
export const VALUE_TOO_LARGE: u32 = 30;

/** Values that the halt message includes. */
export let detailA: u32 = 0;
export let detailB: u32 = 0;

export function setDetails(a: u32, b: u32): void {
  detailA = a;
  detailB = b;
}

/** Operand `index` has `tag` but needs `expected`. */
export function operandTag(index: u32, tag: u32, expected: u32): u32 {
  setDetails(index, (tag << 8) | expected);
  return OPERAND_TAG;
}
