export interface Piece {
  bytes: Uint8Array;
  last: boolean;
}

/**
 * Splits a stream into pieces of `size` bytes. Only the last may be shorter, and it is empty only if the stream is. The
 * caller owns each piece. At most two pieces are held in memory.
 */
export async function* cut(source: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Piece> {
  let piece = Buffer.allocUnsafe(size);
  let filled = 0;
  for await (const given of source) {
    for (let rest = given; rest.length > 0; ) {
      if (filled === size) {
        yield { bytes: piece, last: false };
        piece = Buffer.allocUnsafe(size);
        filled = 0;
      }
      const taken = Math.min(size - filled, rest.length);
      piece.set(rest.subarray(0, taken), filled);
      filled += taken;
      rest = rest.subarray(taken);
    }
  }
  yield { bytes: piece.subarray(0, filled), last: true };
}

export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
