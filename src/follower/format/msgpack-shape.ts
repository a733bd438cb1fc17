import { FrameError } from "./errors.ts";

const MAX_DEPTH = 4;

/** Bytes after a tag for the values that have a fixed size. */
const FIXED: Readonly<Record<number, number>> = {
  192: 0, // null
  202: 4, // float 32
  203: 8, // float 64
  204: 1, // uint 8
  205: 2,
  206: 4,
  207: 8,
  208: 1, // int 8
  209: 2,
  210: 4,
  211: 8,
};
/** Bytes of the length after a tag, for byte strings, texts and lists. */
const BYTES_LENGTH: Readonly<Record<number, 1 | 2 | 4>> = { 196: 1, 197: 2, 198: 4, 217: 1, 218: 2, 219: 4 };
const LIST_LENGTH: Readonly<Record<number, 2 | 4>> = { 220: 2, 221: 4 };

/**
 * Checks that bytes are exactly one MessagePack value made of numbers, byte strings, texts, null and lists, and that
 * every length fits into the bytes that follow. The library allocates what a length says before it reads on, so a few
 * bytes could otherwise claim gigabytes. Throws FrameError.
 */
export function checkShape(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const skip = (count: number): void => {
    if (count > bytes.length - at) throw new FrameError("payload", `ends inside a value, at byte ${bytes.length}`);
    at += count;
  };
  const length = (size: 1 | 2 | 4): number => {
    const from = at;
    skip(size);
    return size === 1 ? view.getUint8(from) : size === 2 ? view.getUint16(from) : view.getUint32(from);
  };
  const list = (count: number, depth: number): void => {
    if (depth >= MAX_DEPTH) throw new FrameError("payload", `must have lists in at most ${MAX_DEPTH} levels`);
    for (let i = 0; i < count; i++) value(depth + 1);
  };
  const value = (depth: number): void => {
    const tag = length(1);
    if (tag <= 0x7f || tag >= 0xe0) return;
    if (tag >= 0x90 && tag <= 0x9f) list(tag & 0x0f, depth);
    else if (tag >= 0xa0 && tag <= 0xbf) skip(tag & 0x1f);
    else if (FIXED[tag] !== undefined) skip(FIXED[tag]);
    else if (BYTES_LENGTH[tag] !== undefined) skip(length(BYTES_LENGTH[tag]));
    else if (LIST_LENGTH[tag] !== undefined) {
      const count = length(LIST_LENGTH[tag]);
      // Each item takes a byte at least.
      if (count > bytes.length - at)
        throw new FrameError("payload", `has a list of ${count} items that it ends before`);
      list(count, depth);
    } else throw new FrameError("payload", `must not hold the MessagePack tag 0x${tag.toString(16)}`);
  };
  value(0);
  if (at !== bytes.length)
    throw new FrameError("payload", `must end after its value, at byte ${at}, of ${bytes.length}`);
}
