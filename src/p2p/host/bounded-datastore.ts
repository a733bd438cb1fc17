import { NotFoundError } from "@libp2p/interface";
import type { Libp2pOptions } from "libp2p";
import { dropOldest } from "../../storage/drop-oldest.ts";

type Datastore = NonNullable<Libp2pOptions["datastore"]>;
type Key = Parameters<Datastore["put"]>[0];
type Pair = { key: Key; value: Uint8Array };
type Query = Parameters<Datastore["query"]>[0];

/**
 * Keeps what libp2p knows of peers in memory. The rows that were not used for the longest time are dropped: libp2p
 * writes one for every peer that ever identified itself, and removes none.
 */
export class BoundedDatastore implements Datastore {
  readonly #rows = new Map<string, Pair>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  put(key: Key, value: Uint8Array): Key {
    const name = key.toString();
    this.#rows.delete(name);
    this.#rows.set(name, { key, value });
    dropOldest(this.#rows, this.#max);
    return key;
  }

  get(key: Key): Uint8Array {
    const name = key.toString();
    const row = this.#rows.get(name);
    if (row === undefined) throw new NotFoundError();
    this.#rows.delete(name);
    this.#rows.set(name, row);
    return row.value;
  }

  has(key: Key): boolean {
    return this.#rows.has(key.toString());
  }

  delete(key: Key): void {
    this.#rows.delete(key.toString());
  }

  async *putMany(pairs: AsyncIterable<Pair> | Iterable<Pair>): AsyncGenerator<Key> {
    for await (const { key, value } of pairs) yield this.put(key, value);
  }

  async *getMany(keys: AsyncIterable<Key> | Iterable<Key>): AsyncGenerator<Pair> {
    for await (const key of keys) yield { key, value: this.get(key) };
  }

  async *deleteMany(keys: AsyncIterable<Key> | Iterable<Key>): AsyncGenerator<Key> {
    for await (const key of keys) {
      this.delete(key);
      yield key;
    }
  }

  batch(): ReturnType<Datastore["batch"]> {
    const work: (() => void)[] = [];
    return {
      put: (key, value) => void work.push(() => this.put(key, value)),
      delete: (key) => void work.push(() => this.delete(key)),
      commit: () => {
        for (const step of work.splice(0)) step();
      },
    };
  }

  *query({ prefix = "", filters = [], orders = [], offset = 0, limit = Number.POSITIVE_INFINITY }: Query) {
    const found = [...this.#rows.values()].filter(
      (row) => row.key.toString().startsWith(prefix) && filters.every((filter) => filter(row)),
    );
    for (const order of orders) found.sort(order);
    yield* found.slice(offset, offset + limit);
  }

  *queryKeys({ prefix = "" }: Parameters<Datastore["queryKeys"]>[0]) {
    for (const { key } of this.#rows.values()) if (key.toString().startsWith(prefix)) yield key;
  }
}
