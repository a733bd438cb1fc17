const KEY_BYTES = 32;
const MIN_CAPACITY = 16;

/** The first bytes of a key as a number: enough to distinguish most keys. */
function prefixOf(key: Uint8Array): number {
  return ((key[0] << 8) | key[1]) * 2 ** 32 + (((key[2] << 24) | (key[3] << 16) | (key[4] << 8) | key[5]) >>> 0);
}

/** Sorts by 32-byte key. */
export function inOrderOfKeys<T extends { readonly key: Uint8Array }>(items: Iterable<T>): T[] {
  return Array.from(items, (item) => ({ item, prefix: prefixOf(item.key) }))
    .sort((a, b) => a.prefix - b.prefix || Buffer.compare(a.item.key, b.item.key))
    .map(({ item }) => item);
}

/** Sorted keys of 32 bytes, each with a number. Kept in a few large arrays instead of one object per key. */
export class SortedKeys {
  #length = 0;
  #prefixes = new Float64Array(MIN_CAPACITY);
  #keys = new Uint8Array(MIN_CAPACITY * KEY_BYTES);
  #numbers = new Float64Array(MIN_CAPACITY);

  get length(): number {
    return this.#length;
  }

  /** The number of the key at a position in the order. */
  numberAt(at: number): number {
    return this.#numbers[at];
  }

  /** Negative if the key at a position is smaller than `key`, 0 if it is equal. */
  compareAt(at: number, key: Uint8Array): number {
    return Buffer.compare(this.#keys.subarray(at * KEY_BYTES, (at + 1) * KEY_BYTES), key);
  }

  /** Number of keys <= `key`. */
  upperBound(key: Uint8Array, end = this.#length): number {
    const prefix = prefixOf(key);
    let [low, high] = [0, end];
    while (low < high) {
      const middle = (low + high) >> 1;
      const found = this.#prefixes[middle];
      if (found < prefix || (found === prefix && this.compareAt(middle, key) <= 0)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Adds new keys, in any order. */
  add(entries: readonly { key: Uint8Array; index: number }[]): void {
    this.#reserve(this.#length + entries.length);
    const ascending = inOrderOfKeys(entries);
    // Backwards, so that each run between two new keys moves once.
    for (let left = ascending.length, end = this.#length; left > 0; left--) {
      const { key, index } = ascending[left - 1];
      const at = this.upperBound(key, end);
      this.#move(at, end, at + left);
      end = at;
      const place = at + left - 1;
      this.#prefixes[place] = prefixOf(key);
      this.#keys.set(key, place * KEY_BYTES);
      this.#numbers[place] = index;
    }
    this.#length += entries.length;
  }

  /** Removes an existing key. */
  remove(key: Uint8Array): void {
    const at = this.upperBound(key);
    this.#move(at, this.#length, at - 1);
    this.#length--;
  }

  #move(from: number, end: number, to: number): void {
    this.#prefixes.copyWithin(to, from, end);
    this.#keys.copyWithin(to * KEY_BYTES, from * KEY_BYTES, end * KEY_BYTES);
    this.#numbers.copyWithin(to, from, end);
  }

  #reserve(length: number): void {
    if (length <= this.#numbers.length) return;
    const capacity = Math.max(length, 2 * this.#numbers.length);
    const [prefixes, keys, numbers] = [this.#prefixes, this.#keys, this.#numbers];
    this.#prefixes = new Float64Array(capacity);
    this.#prefixes.set(prefixes);
    this.#keys = new Uint8Array(capacity * KEY_BYTES);
    this.#keys.set(keys);
    this.#numbers = new Float64Array(capacity);
    this.#numbers.set(numbers);
  }
}
