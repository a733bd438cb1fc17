import { INTEGER, kindOf, putSmall, sameTag, tagOf, U1, U128 } from "./cell";
import { DIVISION_BY_ZERO, FIELD_OPERAND, OK, OPERAND_TAGS_DIFFER, operandTag, setDetails } from "./faults";
import { addFields, divideFields, isLess, isZeroCell, multiplyFields, subtractFields } from "./field-cells";
import { ADD, AND, DIV, OR, SHL, SHR, SUB } from "./instruction-set";
import { readable, writable } from "./pages";
import {
  addWide, divideWide, multiplyWide, putWide, shiftLeftWide, shiftRightWide, subtractWide,
} from "./wide-arithmetic";

/**
 * Operations on fields and U128; the interpreter computes smaller integers itself. Operands are a, b, destination. Each
 * function returns a fault.
 */

@inline
function operand(operands: usize, i: usize): usize {
  return readable(load<u32>(operands + (i << 2)));
}

function differ(a: usize, b: usize): u32 {
  setDetails(tagOf(a), tagOf(b));
  return OPERAND_TAGS_DIFFER;
}

/** ADD, SUB, MUL of fields and U128. */
export function arithmetic(handler: u32, operands: usize): u32 {
  const a = operand(operands, 0);
  const b = operand(operands, 1);
  if (!sameTag(kindOf(a), kindOf(b))) return differ(a, b);
  const isField = kindOf(a) < INTEGER;
  const out = writable(load<u32>(operands, 8));
  if (handler == ADD) {
    if (isField) addFields(out, a, b);
    else addWide(out, a, b);
  } else if (handler == SUB) {
    if (isField) subtractFields(out, a, b);
    else subtractWide(out, a, b);
  } else {
    if (isField) multiplyFields(out, a, b);
    else multiplyWide(out, a, b);
  }
  return OK;
}

/** FDIV. */
export function divideField(operands: usize): u32 {
  const a = operand(operands, 0);
  const b = operand(operands, 1);
  if (kindOf(a) >= INTEGER) return operandTag(0, tagOf(a), 0);
  if (kindOf(b) >= INTEGER) return operandTag(1, tagOf(b), 0);
  if (isZeroCell(b)) return DIVISION_BY_ZERO;
  divideFields(writable(load<u32>(operands, 8)), a, b);
  return OK;
}

/** DIV, AND, OR, XOR, SHL, SHR of U128. */
export function wide(handler: u32, operands: usize): u32 {
  const a = operand(operands, 0);
  const b = operand(operands, 1);
  const kind = kindOf(a);
  if (handler == DIV && kind < INTEGER) return FIELD_OPERAND;
  if (!sameTag(kind, kindOf(b))) return differ(a, b);
  if (kind != U128) return FIELD_OPERAND;
  if (handler == DIV && (load<u64>(b) | load<u64>(b, 8)) == 0) return DIVISION_BY_ZERO;
  const out = writable(load<u32>(operands, 8));
  if (handler == DIV) divideWide(out, a, b);
  else if (handler == AND) putWide(out, load<u64>(a) & load<u64>(b), load<u64>(a, 8) & load<u64>(b, 8));
  else if (handler == OR) putWide(out, load<u64>(a) | load<u64>(b), load<u64>(a, 8) | load<u64>(b, 8));
  else if (handler == SHL) shiftLeftWide(out, a, b);
  else if (handler == SHR) shiftRightWide(out, a, b);
  else putWide(out, load<u64>(a) ^ load<u64>(b), load<u64>(a, 8) ^ load<u64>(b, 8));
  return OK;
}

/** NOT of U128. */
export function complementWide(operands: usize): u32 {
  const a = operand(operands, 0);
  if (kindOf(a) != U128) return FIELD_OPERAND;
  putWide(writable(load<u32>(operands, 4)), ~load<u64>(a), ~load<u64>(a, 8));
  return OK;
}

/** LT and LTE of fields and U128; both operands are canonical integers. */
export function compare(operands: usize, orEqual: bool): u32 {
  const a = operand(operands, 0);
  const b = operand(operands, 1);
  if (!sameTag(kindOf(a), kindOf(b))) return differ(a, b);
  const result = orEqual ? !isLess(b, a) : isLess(a, b);
  putSmall(writable(load<u32>(operands, 8)), u64(result), U1);
  return OK;
}
