import type { Fr } from "../../protocol/field.ts";
import { compareRank, type PoolEntry, type Ranked } from "./pool-entry.ts";

/** Entries sorted by rank. */
class PriorityOrder {
  /** Ascending. */
  readonly #entries: PoolEntry[] = [];

  get size(): number {
    return this.#entries.length;
  }

  lowest(): PoolEntry | undefined {
    return this.#entries[0];
  }

  highest(): PoolEntry | undefined {
    return this.#entries.at(-1);
  }

  add(entry: PoolEntry): void {
    this.#entries.splice(this.#below(entry), 0, entry);
  }

  remove(entry: PoolEntry): void {
    const at = this.#below(entry);
    if (this.#entries[at]?.key === entry.key) this.#entries.splice(at, 1);
  }

  /** Highest rank first; with `after`, only entries below it. */
  *descending(after?: Ranked): Generator<PoolEntry> {
    for (let i = (after === undefined ? this.size : this.#below(after)) - 1; i >= 0; i--) yield this.#entries[i];
  }

  ascending(): readonly PoolEntry[] {
    return this.#entries;
  }

  /** Number of entries with a lower rank. */
  #below(ranked: Ranked): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareRank(this.#entries[middle], ranked) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Pending txs with the same fee payer. */
interface PayerTxs {
  readonly feePayer: Fr;
  readonly entries: ReadonlyMap<string, PoolEntry>;
  /** Sum of the fee limits. A balance of so much covers the txs in any order. */
  readonly feeLimits: bigint;
}

/** Hashes of txs that became pending, and of others that stopped being so. */
export interface PendingChange {
  added: Uint8Array[];
  removed: Uint8Array[];
}

/** Pending txs: no two of them share a nullifier. */
export class PendingTxs {
  readonly #byKey = new Map<string, PoolEntry>();
  readonly #byNullifier = new Map<string, PoolEntry>();
  readonly #byPayer = new Map<string, PayerTxs & { entries: Map<string, PoolEntry>; feeLimits: bigint }>();
  readonly order = new PriorityOrder();
  /** Hashes of txs that were added and removed since the last `takeChanges`, and are so still. */
  #added = new Map<string, Uint8Array>();
  #removed = new Map<string, Uint8Array>();

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

  payer(payerKey: string): PayerTxs | undefined {
    return this.#byPayer.get(payerKey);
  }

  payers(): string[] {
    return [...this.#byPayer.keys()];
  }

  add(entry: PoolEntry): void {
    const before = this.#byKey.get(entry.key);
    if (before !== undefined) this.remove(before);
    this.#byKey.set(entry.key, entry);
    if (!this.#removed.delete(entry.key)) this.#added.set(entry.key, entry.hash);
    for (const nullifier of entry.nullifierKeys) this.#byNullifier.set(nullifier, entry);
    const { feePayer } = entry;
    const own = this.#byPayer.get(entry.payerKey) ?? { feePayer, entries: new Map<string, PoolEntry>(), feeLimits: 0n };
    own.entries.set(entry.key, entry);
    own.feeLimits += entry.feeLimit;
    this.#byPayer.set(entry.payerKey, own);
    this.order.add(entry);
  }

  /** What changed since the last call. */
  takeChanges(): PendingChange {
    const change = { added: [...this.#added.values()], removed: [...this.#removed.values()] };
    this.#added = new Map();
    this.#removed = new Map();
    return change;
  }

  /** Does nothing for an entry that is not pending. */
  remove(entry: PoolEntry): void {
    if (!this.#byKey.delete(entry.key)) return;
    if (!this.#added.delete(entry.key)) this.#removed.set(entry.key, entry.hash);
    for (const nullifier of entry.nullifierKeys) {
      if (this.#byNullifier.get(nullifier)?.key === entry.key) this.#byNullifier.delete(nullifier);
    }
    const own = this.#byPayer.get(entry.payerKey);
    if (own !== undefined) {
      own.entries.delete(entry.key);
      own.feeLimits -= entry.feeLimit;
      if (own.entries.size === 0) this.#byPayer.delete(entry.payerKey);
    }
    this.order.remove(entry);
  }
}
