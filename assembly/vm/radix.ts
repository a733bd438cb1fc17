import { copyCell, putSmall, U1, U32, U8 } from "./cell";
import { requireField, requireKind, requireRange } from "./checks";
import { NO_LIMBS, NOT_BITS, OK, OUT_OF_GAS, RADIX_RANGE, VALUE_TOO_LARGE } from "./faults";
import { isZeroCell } from "./field-cells";
import { readable, writable } from "./pages";
import { takeL2 } from "./state";

/** p - 1 as eight u32, lowest first. It has as many digits as p in every radix. */
const LARGEST = memory.data<u32>([
  0xf0000000, 0x43e1f593, 0x79b97091, 0x2833e848, 0x8181585d, 0xb85045b6, 0xe131a029, 0x30644e72,
]);

const VALUE = memory.data(32, 32);
const DIGITS = memory.data(256, 8);
/** Digits of p by radix, u8; 0 until computed. */
const COUNTS = memory.data(257, 8);

/** Divides VALUE in place and returns the remainder. */
function divide(radix: u32): u32 {
  let rest: u64 = 0;
  for (let i: isize = 28; i >= 0; i -= 4) {
    const part = (rest << 32) | <u64>load<u32>(VALUE + <usize>i);
    store<u32>(VALUE + <usize>i, <u32>(part / radix));
    rest = part % radix;
  }
  return <u32>rest;
}

/** Shifts VALUE right by `bits` (1 to 8) and returns the bits shifted out. */
function shiftOut(bits: u32): u32 {
  const w0 = load<u64>(VALUE);
  const w1 = load<u64>(VALUE, 8);
  const w2 = load<u64>(VALUE, 16);
  const w3 = load<u64>(VALUE, 24);
  const up = 64 - bits;
  store<u64>(VALUE, (w0 >> bits) | (w1 << up));
  store<u64>(VALUE, (w1 >> bits) | (w2 << up), 8);
  store<u64>(VALUE, (w2 >> bits) | (w3 << up), 16);
  store<u64>(VALUE, w3 >> bits, 24);
  return <u32>w0 & ((1 << bits) - 1);
}

/** D of docs/protocol/06-public-execution.md#619-radix-decomposition: the minimum number of limbs to charge for. */
function chargedLimbs(radix: u32): u32 {
  if (radix < 2) return 0;
  if (radix > 256) return 32;
  let count = <u32>load<u8>(COUNTS + <usize>radix);
  if (count == 0) {
    copyCell(VALUE, LARGEST);
    while (!isZeroCell(VALUE)) {
      divide(radix);
      count++;
    }
    store<u8>(COUNTS + <usize>radix, count);
  }
  return count;
}

/**
 * TORADIXBE: value, radix, number of limbs, bits flag, destination
 * (docs/protocol/06-public-execution.md#619-radix-decomposition).
 */
export function toRadix(operands: usize): u32 {
  const value = readable(load<u32>(operands));
  const radixCell = readable(load<u32>(operands, 4));
  const limbsCell = readable(load<u32>(operands, 8));
  const bitsCell = readable(load<u32>(operands, 12));
  let fault = requireField(0, value);
  if (fault == OK) fault = requireKind(1, radixCell, U32);
  if (fault == OK) fault = requireKind(2, limbsCell, U32);
  if (fault == OK) fault = requireKind(3, bitsCell, U1);
  if (fault != OK) return fault;
  const radix = load<u32>(radixCell);
  const limbs = load<u32>(limbsCell);
  const asBits = load<u8>(bitsCell) != 0;
  const out = load<u32>(operands, 16);
  if (!takeL2(3 * <u64>max(limbs, chargedLimbs(radix)))) return OUT_OF_GAS;
  if (radix < 2 || radix > 256) return RADIX_RANGE;
  if (limbs == 0 && !isZeroCell(value)) return NO_LIMBS;
  if (asBits && radix != 2) return NOT_BITS;
  fault = requireRange(out, limbs);
  if (fault != OK) return fault;

  copyCell(VALUE, value);
  const bits = (radix & (radix - 1)) == 0 ? ctz<u32>(radix) : 0;
  let count: u32 = 0;
  while (!isZeroCell(VALUE)) {
    if (count == limbs) return VALUE_TOO_LARGE;
    store<u8>(DIGITS + <usize>count, bits != 0 ? shiftOut(bits) : divide(radix));
    count++;
  }
  const kind = asBits ? U1 : U8;
  for (let i: u32 = 0; i < limbs; i++) {
    const fromEnd = limbs - 1 - i;
    putSmall(writable(out + i), fromEnd < count ? load<u8>(DIGITS + <usize>fromEnd) : 0, kind);
  }
  return OK;
}
