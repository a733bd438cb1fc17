import { mapKey } from "../../protocol/bytes.ts";
import type { DropReason } from "../../protocol/tx/drop-reasons.ts";
import { DropReasons } from "./drop-reasons.ts";
import { PendingTxs } from "./pending-txs.ts";
import type { PoolChainView } from "./pool-chain-view.ts";
import { type BlockRef, type PoolEntry, poolEntry } from "./pool-entry.ts";
import type { PoolStore } from "./pool-store.ts";
import { BY_RANK, preAdd } from "./pre-add-rules.ts";
import { RetiredTxs } from "./retired-txs.ts";
import { type NewBody, TxBodies, type TxRules } from "./tx-bodies.ts";

export type PoolState = "pending" | "protected" | "mined";

/** Most bytes of bodies that are kept for txs that are not pending; the oldest mined and deleted ones go first. */
export interface KeptBytes {
  /** Txs in blocks that are not final. */
  mined: number;
  /** Txs that left the pool in this slot or because of a reorg. */
  deleted: number;
  /** Txs that proposals protect; further ones are added as others are. Default 1 GiB. */
  protected?: number;
}

const DEFAULT_PROTECTED = 2 ** 30;

/** Most hashes that proposals can protect before their txs arrive. */
const MAX_PROTECTED = 1 << 16;

/**
 * The txs of the pool, in memory except for their bodies. An entry is mined, or else protected until a slot, or else
 * pending; only pending entries are in `pending` (docs/protocol/07-transactions-and-fees.md#719-states-of-the-pool).
 * Changes run inside Store.transaction.
 */
export class PoolContents {
  readonly entries = new Map<string, PoolEntry>();
  readonly bodies: TxBodies;
  readonly retired: RetiredTxs;
  /** Txs since the start by the reason for which they left. */
  readonly evicted = new Map<DropReason, number>();
  readonly dropReasons = new DropReasons();
  readonly #kept: KeptBytes;
  readonly #protected = new Map<string, number>();
  #pending = new PendingTxs();
  #minedBytes = 0;
  /** Bytes of the entries in `#protected`, whether mined or not. */
  #protectedBytes = 0;
  #slot = 0;

  constructor(store: PoolStore, rules: TxRules, kept: KeptBytes) {
    this.bodies = new TxBodies(store, rules);
    this.retired = new RetiredTxs(store);
    this.#kept = kept;
  }

  get pending(): PendingTxs {
    return this.#pending;
  }

  get slot(): number {
    return this.#slot;
  }

  stateOf(entry: PoolEntry): PoolState {
    if (entry.minedIn !== undefined) return "mined";
    return this.#protected.has(entry.key) ? "protected" : "pending";
  }

  /** Adds a new tx with its body, in the state that follows from its block and protection. */
  admit(entry: PoolEntry, body: NewBody): void {
    this.bodies.put(body);
    this.enter(entry);
  }

  /** Adds a tx whose body is already stored. */
  enter(entry: PoolEntry): void {
    this.retired.restore(entry.hash);
    this.#list(entry);
  }

  /** Removes a tx from the pool; its body stays for a while. */
  delete(entry: PoolEntry): void {
    if (!this.entries.delete(entry.key)) return;
    if (entry.minedIn !== undefined) this.#minedBytes -= entry.bytes;
    this.#endProtection(entry);
    this.#pending.remove(entry);
    this.retired.delete(entry, this.#slot);
  }

  /** Deletes txs that the pool no longer wants, counts them and remembers why. */
  evict(entries: readonly PoolEntry[], reason: DropReason): void {
    if (entries.length === 0) return;
    for (const entry of entries) {
      this.delete(entry);
      this.dropReasons.note(entry.key, reason);
    }
    this.evicted.set(reason, (this.evicted.get(reason) ?? 0) + entries.length);
  }

  mine(entry: PoolEntry, block: BlockRef): void {
    if (entry.minedIn === undefined) this.#minedBytes += entry.bytes;
    entry.minedIn = block;
    this.#pending.remove(entry);
    this.retired.mined(entry.hash, block.number);
  }

  /** Removes a tx from its block. It is pending only after `makePending`. */
  unmine(entry: PoolEntry): void {
    if (entry.minedIn === undefined) return;
    this.retired.unmine(entry, entry.minedIn.number);
    this.#minedBytes -= entry.bytes;
    entry.minedIn = undefined;
  }

  /** Protects a tx that a proposal for `slot` names; the later slot counts. */
  protect(key: string, slot: number): void {
    const before = this.#protected.get(key);
    if (before !== undefined ? before >= slot : this.#protected.size >= MAX_PROTECTED) return;
    this.#protected.set(key, slot);
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    if (before === undefined) this.#protectedBytes += entry.bytes;
    this.#pending.remove(entry);
  }

  /** Ends the protection of a tx that is not there yet, if it would exceed the bound on protected bytes. */
  limitProtection({ key, bytes }: Pick<PoolEntry, "key" | "bytes">): void {
    if (this.#protectedBytes + bytes > (this.#kept.protected ?? DEFAULT_PROTECTED)) this.#protected.delete(key);
  }

  #endProtection({ key, bytes }: PoolEntry): void {
    if (this.#protected.delete(key)) this.#protectedBytes -= bytes;
  }

  /**
   * Ends protection until earlier slots. Returns the entries that are now neither protected nor mined; they are pending
   * only after `makePending`.
   */
  beginSlot(slot: number): PoolEntry[] {
    this.#slot = slot;
    for (const hash of this.retired.deletedBefore(slot)) this.#forget(hash);
    const freed: PoolEntry[] = [];
    for (const [key, until] of [...this.#protected]) {
      if (until >= slot) continue;
      const entry = this.entries.get(key);
      if (entry === undefined) this.#protected.delete(key);
      else this.#endProtection(entry);
      if (entry !== undefined && entry.minedIn === undefined) freed.push(entry);
    }
    return freed;
  }

  /** Drops the bodies of deleted txs that were in blocks up to `block`. */
  finalize(block: number): void {
    for (const hash of this.retired.finalized(block)) this.#forget(hash);
  }

  makePending(entry: PoolEntry): void {
    this.#pending.add(entry);
  }

  /** Removes the oldest bodies of deleted and of mined txs until both are within their bounds. */
  trim(): void {
    if (this.retired.deletedBytes > this.#kept.deleted) {
      for (const hash of this.retired.oldestDeleted()) {
        this.#forget(hash);
        if (this.retired.deletedBytes <= this.#kept.deleted) break;
      }
    }
    if (this.#minedBytes <= this.#kept.mined) return;
    const mined = [...this.entries.values()].flatMap((entry) =>
      entry.minedIn === undefined ? [] : [{ entry, block: entry.minedIn.number }],
    );
    for (const { entry } of mined.sort((a, b) => a.block - b.block)) {
      this.entries.delete(entry.key);
      this.#endProtection(entry);
      this.#minedBytes -= entry.bytes;
      this.#forget(entry.hash);
      if (this.#minedBytes <= this.#kept.mined) break;
    }
  }

  /**
   * Rebuilds the pool from the store. Txs on the chain are mined; the others become pending if they may be and win
   * against those read before. Returns the hashes of the losers and of damaged rows. Changes nothing in the store.
   */
  load(chain: PoolChainView, maxPending: number): Uint8Array[] {
    this.entries.clear();
    this.#pending = new PendingTxs();
    this.#minedBytes = 0;
    this.#protectedBytes = 0;
    this.retired.load(this.bodies);
    const unwanted: Uint8Array[] = [];
    const mayBePending = chain.admission();
    for (const { hash, summary } of this.bodies.summaries((hash) => this.retired.isDeleted(mapKey(hash)))) {
      if (summary === undefined) unwanted.push(hash);
      else {
        const minedIn = chain.minedIn(hash);
        const entry = poolEntry(summary, { bytes: summary.bytes, receivedAt: 0, minedIn });
        if (this.stateOf(entry) !== "pending") this.#list(entry);
        else if (!mayBePending(entry, () => this.bodies.get(hash)?.tx)) {
          unwanted.push(hash);
          this.dropReasons.note(entry.key, "may not be pending");
        } else {
          const losers = this.#compete(entry, chain, maxPending);
          for (const loser of losers) this.dropReasons.note(mapKey(loser), "outbid");
          unwanted.push(...losers);
        }
      }
    }
    return unwanted;
  }

  /** Removes everything stored; call `load` afterwards. */
  clearStored(): void {
    this.bodies.clear();
    this.retired.clearStored();
    this.dropReasons.clear();
  }

  /**
   * Adds an entry as pending if it wins. Returns the hashes of the entries that it displaces, or its own hash if it
   * loses.
   */
  #compete(entry: PoolEntry, { feeJuice }: PoolChainView, maxPending: number): Uint8Array[] {
    const outcome = preAdd(entry, { pending: this.#pending, bidding: BY_RANK, feeJuice, maxPending });
    if ("rejection" in outcome) return [entry.hash];
    for (const loser of outcome.evict) {
      this.entries.delete(loser.key);
      this.#pending.remove(loser);
    }
    this.#list(entry);
    return outcome.evict.map(({ hash }) => hash);
  }

  /** Removes the bodies whose hashes `load` returned. */
  discard(hashes: readonly Uint8Array[]): void {
    for (const hash of hashes) this.#forget(hash);
  }

  #list(entry: PoolEntry): void {
    this.entries.set(entry.key, entry);
    this.dropReasons.forget(entry.key);
    if (entry.minedIn !== undefined) this.#minedBytes += entry.bytes;
    if (this.#protected.has(entry.key)) this.#protectedBytes += entry.bytes;
    if (this.stateOf(entry) === "pending") this.#pending.add(entry);
  }

  #forget(hash: Uint8Array): void {
    this.retired.forget(hash);
    this.bodies.remove(hash);
  }
}
