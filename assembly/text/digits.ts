const HEX_DIGITS = memory.data<u8>([0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66]);

/** Writes the 64 hex digits of a 32-byte word and returns their end. */
export function writeHexWord(out: usize, word: usize): usize {
  const digits = v128.load(HEX_DIGITS);
  const mask = i8x16.splat(15);
  for (const end = out + 64; out < end; out += 32, word += 16) {
    const value = v128.load(word);
    const high = i8x16.swizzle(digits, i8x16.shr_u(value, 4));
    const low = i8x16.swizzle(digits, v128.and(value, mask));
    v128.store(out, i8x16.shuffle(high, low, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
    v128.store(out, i8x16.shuffle(high, low, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31), 16);
  }
  return out;
}

/** Writes a number in decimal and returns the end. */
export function writeDecimal(out: usize, value: u64): usize {
  let digits: usize = 1;
  for (let bound: u64 = 10; bound <= value; bound *= 10) digits++;
  for (let at = out + digits; at > out; ) {
    const shorter = value / 10;
    at--;
    store<u8>(at, <u8>(48 + value - shorter * 10));
    value = shorter;
  }
  return out + digits;
}
