/**
 * Constants of a loop, loaded once: as literals, each use takes several instructions.
 *
 *   byte order of four numbers | what to add to a group of six bits, by its range
 */
const TABLE = memory.data<u8>([
  2, 1, 0, 128, 5, 4, 3, 128, 8, 7, 6, 128, 11, 10, 9, 128,
  71, 252, 252, 252, 252, 252, 252, 252, 252, 252, 252, 237, 240, 65, 0, 0,
]);

/** The last bytes, padded with zeros. */
const LAST = memory.data(16);

/**
 * Writes the base64 form of whole groups of three bytes, twelve bytes at a time. Reads up to 16 bytes past the input
 * and writes up to 16 bytes past the end.
 */
function writeGroups(out: usize, bytes: usize, end: usize): void {
  const order = v128.load(TABLE);
  const offsets = v128.load(TABLE, 16);
  const second = i32x4.splat(0x3f00);
  const third = i32x4.splat(0x3f0000);
  const fourth = i32x4.splat(0x3f000000);
  const lastOfLowercase = i8x16.splat(51);
  const firstOfLowercase = i8x16.splat(26);
  const uppercase = i8x16.splat(13);
  for (; bytes < end; bytes += 12, out += 16) {
    // In each lane, three bytes as a 24-bit number; its groups of six bits are then spread to a byte each.
    const numbers = i8x16.swizzle(v128.load(bytes), order);
    const groups = v128.or(
      v128.or(i32x4.shr_u(numbers, 18), v128.and(i32x4.shr_u(numbers, 4), second)),
      v128.or(v128.and(i32x4.shl(numbers, 10), third), v128.and(i32x4.shl(numbers, 24), fourth)),
    );
    // Ranges: 0 for groups 26 to 51, 1 to 10 for digits, 11 and 12 for the two signs, 13 below 26.
    const range = v128.or(
      i8x16.sub_sat_u(groups, lastOfLowercase),
      v128.and(i8x16.lt_s(groups, firstOfLowercase), uppercase),
    );
    v128.store(out, i8x16.add(groups, i8x16.swizzle(offsets, range)));
  }
}

/**
 * Writes the base64 form, with padding, of `length` bytes and returns its end. Reads up to 16 bytes past the input and
 * writes up to 16 bytes past the end.
 */
export function writeBase64(out: usize, bytes: usize, length: usize): usize {
  const rest = length % 3;
  const whole = length - rest;
  writeGroups(out, bytes, bytes + whole);
  out += (whole / 3) << 2;
  if (rest == 0) return out;
  store<u32>(LAST, 0);
  memory.copy(LAST, bytes + whole, rest);
  writeGroups(out, LAST, LAST + 1);
  store<u8>(out + 3, 0x3d);
  if (rest == 1) store<u8>(out + 2, 0x3d);
  return out + 4;
}

/** Length of the base64 form of `length` bytes. */
@inline
export function base64Length(length: usize): usize {
  return ((length + 2) / 3) << 2;
}
