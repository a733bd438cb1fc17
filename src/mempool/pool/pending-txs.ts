import type { PoolEntry } from "./pool-entry.ts";
import { PriorityOrder } from "./priority-order.ts";

/** Pending txs: no two of them share a nullifier. */
export class PendingTxs {
  readonly #byKey = new Map<string, PoolEntry>();
  readonly #byNullifier = new Map<string, PoolEntry>();
  readonly #byPayer = new Map<string, Map<string, PoolEntry>>();
  readonly order = new PriorityOrder();

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): PoolEntry | undefined {
    return this.#byKey.get(key);
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  all(): IterableIterator<PoolEntry> {
    return this.#byKey.values();
  }

  withNullifier(key: string): PoolEntry | undefined {
    return this.#byNullifier.get(key);
  }

  /** Pending txs that share a nullifier with an entry, each once. */
  conflictsOf({ key, nullifierKeys }: Pick<PoolEntry, "key" | "nullifierKeys">): PoolEntry[] {
    const found = new Set<PoolEntry>();
    for (const nullifier of nullifierKeys) {
      const other = this.#byNullifier.get(nullifier);
      if (other !== undefined && other.key !== key) found.add(other);
    }
    return [...found];
  }

  ofPayer(payerKey: string): PoolEntry[] {
    return [...(this.#byPayer.get(payerKey)?.values() ?? [])];
  }

  payers(): string[] {
    return [...this.#byPayer.keys()];
  }

  add(entry: PoolEntry): void {
    this.#byKey.set(entry.key, entry);
    for (const nullifier of entry.nullifierKeys) this.#byNullifier.set(nullifier, entry);
    const own = this.#byPayer.get(entry.payerKey) ?? new Map<string, PoolEntry>();
    this.#byPayer.set(entry.payerKey, own.set(entry.key, entry));
    this.order.add(entry);
  }

  /** Does nothing for an entry that is not pending. */
  remove(entry: PoolEntry): void {
    if (!this.#byKey.delete(entry.key)) return;
    for (const nullifier of entry.nullifierKeys) {
      if (this.#byNullifier.get(nullifier)?.key === entry.key) this.#byNullifier.delete(nullifier);
    }
    const own = this.#byPayer.get(entry.payerKey);
    own?.delete(entry.key);
    if (own?.size === 0) this.#byPayer.delete(entry.payerKey);
    this.order.remove(entry);
  }
}
