import { base64Length, writeBase64 } from "./base64";
import { writeDecimal, writeHexWord } from "./digits";

/** Kinds of parts. */
const LITERAL: u32 = 0;
const HEX_WORD: u32 = 1;
const DECIMAL: u32 = 2;

const PART: usize = 12;

/** The number in six big-endian bytes. */
@inline
function position(bytes: usize): u64 {
  return (<u64>bswap(load<u16>(bytes)) << 32) | <u64>bswap(load<u32>(bytes, 2));
}

/**
 * Writes a text that consists of parts, and up to 16 bytes of anything behind it.
 *
 *   template   parts count x (kind u32, start u32, length u32) | letters
 *
 * A part is letters of the template (kind 0: where from its start, and how many), or something made from the source,
 * which starts there: the hex digits of a 32-byte word (1), the decimal digits of a six-byte number (2), the base64
 * form of bytes (3). The `known` bytes at the end of such bytes, a whole number of groups of three in front of them,
 * are taken from their text.
 *
 * @returns the text's end.
 */
export function fillTemplate(out: usize, template: usize, count: u32, source: usize, known: usize, knownText: usize): usize {
  const parts = template + <usize>count * PART;
  for (let part = template; part < parts; part += PART) {
    const kind = load<u32>(part);
    const start = <usize>load<u32>(part, 4);
    const length = <usize>load<u32>(part, 8);
    if (kind == LITERAL) {
      for (let i: usize = 0; i < length; i += 16) v128.store(out + i, v128.load(template + start + i));
      out += length;
    } else if (kind == HEX_WORD) out = writeHexWord(out, source + start);
    else if (kind == DECIMAL) out = writeDecimal(out, position(source + start));
    else {
      out = writeBase64(out, source + start, length - known);
      const bytes = base64Length(known);
      memory.copy(out, knownText, bytes);
      out += bytes;
    }
  }
  return out;
}
