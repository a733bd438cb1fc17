/**
 * A memory cell: a value with its tag (docs/protocol/06-public-execution.md#65-memory-and-tags) in 32 bytes.
 *
 *   0 w0 | 8 w1 | 16 w2 | 24 w3       u64, lowest first; byte 31, the top of w3, is the "kind"
 *
 * A field element is stored as its canonical integer, so its kind is the top byte of a number below p, at most 0x30.
 * The kind of an integer is 0x40 + tag; its value is in w0 and w1, and the bytes between are zero. A cell of zeros is
 * the field element 0, the initial value of memory.
 */
export const CELL: usize = 32;
export const CELL_BITS: usize = 5;

export const TAG_FF: u32 = 0;
export const TAG_U1: u32 = 1;
export const TAG_U8: u32 = 2;
export const TAG_U16: u32 = 3;
export const TAG_U32: u32 = 4;
export const TAG_U64: u32 = 5;
export const TAG_U128: u32 = 6;
export const TAGS: u32 = 7;

/** Kinds from this value on are integers. */
export const INTEGER: u32 = 0x40;
export const U1: u32 = 0x41;
export const U8: u32 = 0x42;
export const U32: u32 = 0x44;
export const U64: u32 = 0x45;
export const U128: u32 = 0x46;

/** By tag: mask of the bits of a value in w0. */
const MASKS = memory.data<u64>([0, 1, 0xff, 0xffff, 0xffffffff, 0xffffffffffffffff, 0xffffffffffffffff]);
/** By tag: width in bits. */
const WIDTHS = memory.data<u8>([0, 1, 8, 16, 32, 64, 128]);
/** By tag: dynamic L2 gas of the bitwise opcodes, 3 per byte. */
const BITWISE_GAS = memory.data<u8>([0, 3, 3, 6, 12, 24, 48]);

/** Mask of w0 by tag or kind of an integer. */
@inline
export function maskOf(kind: u32): u64 {
  return load<u64>(MASKS + ((<usize>kind & 7) << 3));
}

@inline
export function widthOf(kind: u32): u32 {
  return load<u8>(WIDTHS + (<usize>kind & 7));
}

@inline
export function bitwiseGas(kind: u32): u32 {
  return kind < INTEGER ? 0 : load<u8>(BITWISE_GAS + (<usize>kind & 7));
}

@inline
export function kindOf(cell: usize): u32 {
  return load<u8>(cell, 31);
}

export function tagOf(cell: usize): u32 {
  const kind = kindOf(cell);
  return kind < INTEGER ? TAG_FF : kind - INTEGER;
}

/** Whether both are integers of at most 64 bits with the same tag. */
@inline
export function areSmall(kindA: u32, kindB: u32): bool {
  return kindA == kindB && kindA - U1 < 5;
}

/** Whether two kinds mean the same tag. */
@inline
export function sameTag(kindA: u32, kindB: u32): bool {
  return kindA == kindB || (kindA | kindB) < INTEGER;
}

/** Sets an integer of at most 64 bits. */
@inline
export function putSmall(cell: usize, value: u64, kind: u32): void {
  store<u64>(cell, value);
  store<u64>(cell, 0, 8);
  store<u64>(cell, 0, 16);
  store<u64>(cell, (<u64>kind) << 56, 24);
}

@inline
export function copyCell(out: usize, cell: usize): void {
  const low = v128.load(cell);
  const high = v128.load(cell, 16);
  v128.store(out, low);
  v128.store(out, high, 16);
}

/** Copies a cell as a field element, whatever its tag. */
@inline
export function copyAsField(out: usize, cell: usize): void {
  const isField = kindOf(cell) < INTEGER;
  const top = load<u64>(cell, 24);
  v128.store(out, v128.load(cell));
  store<u64>(out, load<u64>(cell, 16), 16);
  store<u64>(out, isField ? top : 0, 24);
}

/**
 * Truncates the value of `cell` to `tag` (docs/protocol/06-public-execution.md#65-memory-and-tags). `out` may be
 * `cell`.
 */
export function castCell(out: usize, cell: usize, tag: u32): void {
  if (tag == TAG_FF) return copyAsField(out, cell);
  const w0 = load<u64>(cell) & maskOf(tag);
  const w1 = tag == TAG_U128 ? load<u64>(cell, 8) : 0;
  putSmall(out, w0, INTEGER + tag);
  store<u64>(out, w1, 8);
}

/**
 * Writes the value of a cell, as a field element, to a word.
 *
 *   cell 32 -> word 32 big-endian
 */
export function cellToWord(word: usize, cell: usize): void {
  const w0 = load<u64>(cell);
  const w1 = load<u64>(cell, 8);
  const w2 = load<u64>(cell, 16);
  const w3 = kindOf(cell) < INTEGER ? load<u64>(cell, 24) : 0;
  store<u64>(word, bswap(w3));
  store<u64>(word, bswap(w2), 8);
  store<u64>(word, bswap(w1), 16);
  store<u64>(word, bswap(w0), 24);
}

/**
 * Reads a canonical word as a field element.
 *
 *   word 32 big-endian -> cell 32       in place allowed
 */
export function wordToCell(cell: usize, word: usize): void {
  const w3 = bswap(load<u64>(word));
  const w2 = bswap(load<u64>(word, 8));
  const w1 = bswap(load<u64>(word, 16));
  const w0 = bswap(load<u64>(word, 24));
  store<u64>(cell, w0);
  store<u64>(cell, w1, 8);
  store<u64>(cell, w2, 16);
  store<u64>(cell, w3, 24);
}
