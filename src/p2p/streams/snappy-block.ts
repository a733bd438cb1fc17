import { uncompress, uncompressSync } from "snappy";
import { DecodeError } from "../../protocol/errors.ts";

/** A varint of at most 32 bits. */
const MAX_PREAMBLE_BYTES = 5;
/** From here on decompression runs on a thread of the runtime's pool. */
const ASYNC_BYTES = 64 * 1024;

/**
 * The uncompressed length that a snappy block (raw format, not framed) declares in its first bytes. Throws a
 * DecodeError if the length is cut off or too long.
 */
export function declaredLength(block: Uint8Array): number {
  let length = 0;
  for (let i = 0; i < MAX_PREAMBLE_BYTES; i++) {
    if (i >= block.length) throw new DecodeError("snappy block", "its length must not be cut off");
    length += (block[i] & 0x7f) * 2 ** (7 * i);
    if (block[i] < 0x80) return length;
  }
  throw new DecodeError("snappy block", `its length must have at most ${MAX_PREAMBLE_BYTES} bytes`);
}

/** Upper bound of the compressed size of `length` bytes (snappy, MaxCompressedLength). */
export function maxCompressedLength(length: number): number {
  return 32 + length + Math.ceil(length / 6);
}

/**
 * Decompresses a snappy block whose declared length is at most `limit`; the length is checked before anything is
 * allocated. Rejects with a DecodeError.
 */
export async function uncompressBlock(block: Uint8Array, limit: number): Promise<Uint8Array> {
  const length = checkedLength(block, limit);
  try {
    const buffer = (length < ASYNC_BYTES ? uncompressSync(block) : await uncompress(block)) as Buffer;
    // Not as a Buffer, whose slice() is a view.
    return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
  } catch (cause) {
    throw new DecodeError("snappy block", "must be well-formed", { cause });
  }
}

/** Like uncompressBlock, on this thread. Throws a DecodeError. */
export function uncompressBlockSync(block: Uint8Array, limit: number): Uint8Array {
  checkedLength(block, limit);
  try {
    return uncompressSync(block) as Uint8Array;
  } catch (cause) {
    throw new DecodeError("snappy block", "must be well-formed", { cause });
  }
}

function checkedLength(block: Uint8Array, limit: number): number {
  const length = declaredLength(block);
  if (length > limit) throw new DecodeError("snappy block", `must have at most ${limit} bytes, declares ${length}`);
  return length;
}
