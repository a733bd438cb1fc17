import type { TextPart } from "./core.ts";

/** Offsets of a leaf's key, its row and its path's data in the source of a text (assembly/trees/tile-cache.ts). */
export const KEY_AT = 0;
export const ROW_AT = 36;
const PATH_AT = 140;
/** Most bytes of a key, and of a row. */
export const KEY_BYTES = ROW_AT - KEY_AT;
export const ROW_BYTES = PATH_AT - ROW_AT;

const PART_BYTES = 12;
/** Characters are copied sixteen bytes at a time. */
const COPIED_AT_ONCE = 16;
const KINDS = { word: 1, position: 2 } as const;

interface PackedTemplate {
  /** In the form that assembly/text/template.ts reads. */
  bytes: Uint8Array;
  parts: number;
  /** Most bytes that filling in the template writes. */
  maxTextLength: number;
}

/** Encodes the parts of a text about a path of `height` levels in the form that the core reads. */
export function packTemplate(parts: readonly TextPart[], height: number): PackedTemplate {
  const letters = parts.filter((part) => typeof part === "string").join("");
  const bytes = new Uint8Array(parts.length * PART_BYTES + letters.length + COPIED_AT_ONCE);
  const numbers = new Uint32Array(bytes.buffer, 0, parts.length * 3);
  let end = parts.length * PART_BYTES;
  let maxTextLength = letters.length + COPIED_AT_ONCE;
  for (const [i, part] of parts.entries()) {
    if (typeof part === "string") {
      numbers.set([0, end, part.length], i * 3);
      bytes.set(Buffer.from(part, "latin1"), end);
      end += part.length;
    } else if (part.as === "path") {
      const length = 4 + height * 32;
      numbers.set([3, PATH_AT, length], i * 3);
      maxTextLength += Math.ceil(length / 3) * 4;
    } else {
      numbers.set([KINDS[part.as], part.at + (part.of === "key" ? KEY_AT : ROW_AT), 0], i * 3);
      maxTextLength += 64;
    }
  }
  return { bytes, parts: parts.length, maxTextLength };
}
