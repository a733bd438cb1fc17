/** Most threads that count together. */
const MAX_THREADS = 64;

/**
 * Counts open connections over all threads that listen on one port: each has a slot of the shared memory, so that what
 * a thread leaves behind when it dies can be taken back.
 */
export class OpenConnections {
  readonly #slots: Int32Array;
  readonly #own: number;

  /** Memory for `new OpenConnections(memory, slot)` in every thread. */
  static memory(): SharedArrayBuffer {
    return new SharedArrayBuffer(4 * MAX_THREADS);
  }

  /** Throws a RangeError for a slot beyond the memory. */
  constructor(memory: SharedArrayBuffer = OpenConnections.memory(), slot = 0) {
    this.#slots = new Int32Array(memory);
    if (!(slot < this.#slots.length)) throw new RangeError(`slot ${slot} of ${this.#slots.length}`);
    this.#own = slot;
  }

  /** Counts a new connection. Returns how many there are now. */
  opened(): number {
    Atomics.add(this.#slots, this.#own, 1);
    return this.total;
  }

  closed(): void {
    Atomics.sub(this.#slots, this.#own, 1);
  }

  get total(): number {
    let sum = 0;
    for (let i = 0; i < this.#slots.length; i++) sum += Atomics.load(this.#slots, i);
    return sum;
  }

  /** Of a thread that is gone: its connections went with it. */
  forget(slot: number): void {
    Atomics.store(this.#slots, slot, 0);
  }
}
