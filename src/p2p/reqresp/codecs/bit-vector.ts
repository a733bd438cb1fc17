import { concat, u32Bytes } from "../../../protocol/bytes.ts";
import type { WireReader } from "../../../protocol/consensus/wire-reader.ts";

/** Most bits that a message may have. */
const MAX_BITS = 65_536;

/**
 * Marks some of a block's transactions by their index: u32 number of bits, then the bits; bit i is in byte i >> 3 with
 * mask 1 << (i & 7).
 */
export class BitVector {
  readonly length: number;
  readonly #bits: Uint8Array;

  private constructor(length: number, bits: Uint8Array) {
    this.length = length;
    this.#bits = bits;
  }

  /** Indices at or beyond `length` are left out. */
  static of(length: number, indices: Iterable<number>): BitVector {
    const bits = new Uint8Array(Math.ceil(length / 8));
    for (const index of indices) if (index < length) bits[index >> 3] |= 1 << (index & 7);
    return new BitVector(length, bits);
  }

  static read(reader: WireReader): BitVector {
    const length = reader.u32("number of bits");
    if (length > MAX_BITS) reader.fail(`number of bits must be at most ${MAX_BITS}, got ${length}`);
    return new BitVector(length, reader.take(Math.ceil(length / 8), "bits"));
  }

  encode(): Uint8Array {
    return concat(u32Bytes(this.length), this.#bits);
  }

  has(index: number): boolean {
    return index < this.length && ((this.#bits[index >> 3] >> (index & 7)) & 1) === 1;
  }

  /** Set indices, ascending. */
  indices(): number[] {
    const indices: number[] = [];
    for (let index = 0; index < this.length; index++) if (this.has(index)) indices.push(index);
    return indices;
  }

  /** Number of set bits. */
  count(): number {
    return this.indices().length;
  }
}
