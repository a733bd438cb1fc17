const PAGE = 65536;

/**
 * Scratch memory of an instance, from `start` to the end. Every call reuses it from the start, so a reservation is
 * valid until the next one. Views are recreated after growth detaches the buffer.
 */
export class WasmMemory {
  readonly #memory: WebAssembly.Memory;
  readonly #start: number;
  #bytes: Uint8Array;

  constructor(memory: WebAssembly.Memory, start: number) {
    this.#memory = memory;
    this.#start = start;
    this.#bytes = new Uint8Array(memory.buffer);
  }

  /** Makes `length` bytes available. Returns their address, a multiple of 16. */
  reserve(length: number): number {
    const missing = this.#start + length - this.#bytes.length;
    if (missing > 0) {
      this.#memory.grow(Math.ceil(missing / PAGE));
      this.#bytes = new Uint8Array(this.#memory.buffer);
    }
    return this.#start;
  }

  /** Reserves parts of the given sizes, one after the other. Returns the address of each and the end of the last. */
  reserveParts(sizes: readonly number[]): number[] {
    let at = this.reserve(sizes.reduce((sum, size) => sum + size, 0));
    return [at, ...sizes.map((size) => (at += size))];
  }

  copyIn(at: number, bytes: Uint8Array): void {
    this.#bytes.set(bytes, at);
  }

  copyInU32(at: number, values: Uint32Array): void {
    new Uint32Array(this.#memory.buffer, at, values.length).set(values);
  }

  copyInF64(at: number, values: readonly number[]): void {
    new Float64Array(this.#memory.buffer, at, values.length).set(values);
  }

  copyOut(at: number, length: number): Uint8Array {
    return this.#bytes.slice(at, at + length);
  }

  copyOutU32(at: number, count: number): Uint32Array {
    return new Uint32Array(this.#memory.buffer, at, count).slice();
  }

  copyOutF64(at: number, count: number): Float64Array {
    return new Float64Array(this.#memory.buffer, at, count).slice();
  }

  /** A view that is valid until the next reservation. */
  view(at: number, length: number): Uint8Array {
    return this.#bytes.subarray(at, at + length);
  }
}
