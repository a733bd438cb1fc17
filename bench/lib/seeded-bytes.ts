/** Reproducible random numbers and bytes for benchmarks (xorshift128 of Marsaglia, 2003). */
export class SeededBytes {
  #x: number;
  #y = 362436069;
  #z = 521288629;
  #w = 88675123;

  constructor(seed: number) {
    this.#x = seed ^ 123456789 || 1;
  }

  /** 32 random bits. */
  u32(): number {
    const t = this.#x ^ (this.#x << 11);
    this.#x = this.#y;
    this.#y = this.#z;
    this.#z = this.#w;
    this.#w = this.#w ^ (this.#w >>> 19) ^ t ^ (t >>> 8);
    return this.#w >>> 0;
  }

  /** A whole number from 0 to `end` - 1; `end` is at most 2^32. */
  below(end: number): number {
    return Math.floor((this.u32() / 2 ** 32) * end);
  }

  /** Fills bytes `from` up to `to`; their number is a multiple of 4. */
  fill(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; at += 4) {
      const bits = this.u32();
      bytes[at] = bits;
      bytes[at + 1] = bits >>> 8;
      bytes[at + 2] = bits >>> 16;
      bytes[at + 3] = bits >>> 24;
    }
  }

  /** A field: a canonical 32-byte word. */
  field(): Uint8Array {
    const word = new Uint8Array(32);
    this.fill(word, 0, 32);
    word[0] &= 0x1f;
    return word;
  }
}
