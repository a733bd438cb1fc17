/** Places for names; keys may be renamed while the process runs. */
const PLACES = 4_096;
const NAME_BYTES = 64;
const OUTCOMES = ["ok", "refused"] as const;
type KeyOutcome = (typeof OUTCOMES)[number];

/** Calls made with one key since the start, by outcome. */
type KeyCalls = { readonly key: string } & { readonly [O in KeyOutcome]: number };

const TAKEN = 1;
const READY = 2;

/**
 * Counts calls by key name in memory that threads share: for each place a word of state, the name, and a word for each
 * outcome. Names are added as they are first used. When all places are taken, further names are not counted.
 */
export class KeyCounts {
  readonly #states: Int32Array;
  readonly #names: Uint8Array;
  readonly #words: BigUint64Array;
  /** Places by name, of the first `#places.size` places. */
  readonly #places = new Map<string, number>();

  static memory(): SharedArrayBuffer {
    return new SharedArrayBuffer(PLACES * (4 + NAME_BYTES + 8 * OUTCOMES.length));
  }

  constructor(memory: SharedArrayBuffer) {
    const words = PLACES * 8 * OUTCOMES.length;
    this.#words = new BigUint64Array(memory, 0, words / 8);
    this.#states = new Int32Array(memory, words, PLACES);
    this.#names = new Uint8Array(memory, words + PLACES * 4);
  }

  /** `name` has at most 64 ASCII characters. */
  add(name: string, outcome: KeyOutcome, calls = 1): void {
    const place = this.#places.get(name) ?? this.#placeOf(name);
    if (place === undefined) return;
    Atomics.add(this.#words, place * OUTCOMES.length + OUTCOMES.indexOf(outcome), BigInt(calls));
  }

  /** The place that has the name, or the first free one, which then has it. */
  #placeOf(name: string): number | undefined {
    for (let place = this.#places.size; place < PLACES; ) {
      const state = Atomics.compareExchange(this.#states, place, 0, TAKEN);
      if (state === 0) {
        this.#names.set(Buffer.from(name, "latin1").subarray(0, NAME_BYTES), place * NAME_BYTES);
        Atomics.store(this.#states, place, READY);
        this.#places.set(name, place);
        return place;
      }
      // Another thread writes a name into it: some nanoseconds.
      if (state === TAKEN) continue;
      const taken = this.#nameAt(place);
      this.#places.set(taken, place);
      if (taken === name) return place;
      place++;
    }
    return undefined;
  }

  #nameAt(place: number): string {
    const bytes = this.#names.slice(place * NAME_BYTES, (place + 1) * NAME_BYTES);
    return Buffer.from(bytes).toString("latin1").replace(/\0+$/, "");
  }

  read(): KeyCalls[] {
    const calls: KeyCalls[] = [];
    for (let place = 0; place < PLACES && Atomics.load(this.#states, place) === READY; place++) {
      const [ok, refused] = OUTCOMES.map((_, i) => Number(Atomics.load(this.#words, place * OUTCOMES.length + i)));
      calls.push({ key: this.#nameAt(place), ok, refused });
    }
    return calls;
  }
}
