import { Readable } from "node:stream";
import { createGunzip, gunzipSync } from "node:zlib";

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/**
 * Decompresses an object if its first two bytes are those of gzip. Throws zlib's error, also if the result exceeds
 * `maxBytes`.
 */
export function unpacked(bytes: Uint8Array, maxBytes: number): Uint8Array {
  return isGzip(bytes) ? gunzipSync(bytes, { maxOutputLength: maxBytes }) : bytes;
}

/** The same for a stream. Throws zlib's error if the gzip data is corrupted, truncated, or followed by other data. */
export async function* unpackedStream(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces = source[Symbol.asyncIterator]();
  const head: Uint8Array[] = [];
  let length = 0;
  for (let next = await pieces.next(); ; next = await pieces.next()) {
    if (next.done) break;
    head.push(next.value);
    length += next.value.length;
    if (length >= 2) break;
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      yield* head;
      for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value;
    } finally {
      await pieces.return?.();
    }
  }
  if (!isGzip(Buffer.concat(head).subarray(0, 2))) {
    yield* all();
    return;
  }
  const packed = Readable.from(all());
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  packed.on("error", (error) => gunzip.destroy(error));
  packed.pipe(gunzip);
  try {
    yield* gunzip;
  } finally {
    packed.destroy();
    gunzip.destroy();
  }
}
