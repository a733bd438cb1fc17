import { Listeners } from "../../events/listeners.ts";
import { mapKey } from "../../protocol/bytes.ts";
import type { GasFees } from "../../protocol/fees/gas-fees.ts";
import type { DropReason } from "../../protocol/tx/drop-reasons.ts";
import { StoreFullError } from "../../storage/store-errors.ts";
import { DistributionCounter } from "../../telemetry/metrics/distribution.ts";
import { type BlockContents, expired, spent, surplus, underpriced, unpaid } from "./evictions.ts";
import type { PendingChange, PendingTxs } from "./pending-txs.ts";
import { type Admission, type NewTx, PoolAdmission } from "./pool-admission.ts";
import type { PoolChainView } from "./pool-chain-view.ts";
import { type KeptBytes, PoolContents } from "./pool-contents.ts";
import { type BlockRef, type PoolEntry, poolEntry } from "./pool-entry.ts";
import { PoolQueries } from "./pool-queries.ts";
import type { PoolStore } from "./pool-store.ts";
import { type Bidding, BY_RANK } from "./pre-add-rules.ts";
import { TxArchive, type TxRules } from "./tx-bodies.ts";

export interface PoolOptions {
  /** Rules of the txs. */
  rules: TxRules;
  /** Pending txs; 0 for no limit. */
  maxPending: number;
  /** Mined txs that are kept for good, without proofs. */
  archived: number;
  /** Txs of pruned blocks are forgotten instead of pending again. */
  deleteAfterReorg: boolean;
  kept?: KeptBytes;
  /** Takes what a listener throws. Default: ignored. */
  listenerFailed?: (error: unknown) => void;
}

/** Upper bounds of the delays until a tx is in a block. */
export const MINED_DELAY_MS = [
  1_000, 2_500, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 1_800_000,
] as const;
const GIB = 2 ** 30;
const DEFAULT_KEPT: KeptBytes = { mined: 4 * GIB, deleted: GIB / 4 };

/** Bytes of the disk that txs leave free: the chain store beside the pool has to go on when the pool takes no more. */
const LEFT_FREE = 16 * 2 ** 20;

/** A block whose txs the chain took. */
export interface AddedBlock extends BlockRef, BlockContents {
  txHashes: readonly Uint8Array[];
}

/**
 * The pool of transactions (docs/protocol/07-transactions-and-fees.md#719-states-of-the-pool): PoolQueries and the
 * operations that change it. Every operation is one transaction of the store and runs to its end without a pause; when
 * that fails, the pool is again what the store holds, and the error is thrown.
 */
export class TxPool extends PoolQueries {
  /** Txs since the start that were not added: known or outbid, and not permitted. */
  readonly refused = { ignored: 0, rejected: 0 };
  /** Txs that proposals named since the start: there although deleted before, and not there. */
  readonly protections = { restored: 0, missing: 0 };
  /** From the arrival of a tx to its block, in milliseconds. */
  readonly minedDelays = new DistributionCounter(MINED_DELAY_MS);
  readonly #store: PoolStore;
  readonly #chain: PoolChainView;
  readonly #contents: PoolContents;
  readonly #archive: TxArchive;
  readonly #admission: PoolAdmission;
  readonly #options: Required<PoolOptions>;
  readonly #pendingListeners: Listeners<[]>;
  readonly #addedListeners: Listeners<[hashes: readonly Uint8Array[]]>;
  readonly #changeListeners: Listeners<[change: PendingChange]>;

  /** Loads what the store holds and drops what may not be pending any more. */
  constructor(store: PoolStore, chain: PoolChainView, options: PoolOptions) {
    const withDefaults = { kept: DEFAULT_KEPT, listenerFailed: () => {}, ...options };
    const contents = new PoolContents(store, options.rules, withDefaults.kept);
    const archive = new TxArchive(store, options.rules, options.archived);
    super(contents, archive, chain);
    this.#store = store;
    this.#chain = chain;
    this.#contents = contents;
    this.#archive = archive;
    this.#options = withDefaults;
    this.#admission = new PoolAdmission(contents, chain, withDefaults);
    this.#pendingListeners = new Listeners(withDefaults.listenerFailed);
    this.#addedListeners = new Listeners(withDefaults.listenerFailed);
    this.#changeListeners = new Listeners(withDefaults.listenerFailed);
    const unwanted = this.#load();
    if (unwanted.length > 0) store.transaction(() => this.#contents.discard(unwanted));
  }

  #load(): Uint8Array[] {
    const unwanted = this.#contents.load(this.#chain, this.#options.maxPending);
    this.#pending.takeChanges();
    return unwanted;
  }

  #commit<T>(work: () => T): T {
    let result: T;
    try {
      result = this.#store.transaction(() => {
        const done = work();
        this.#contents.trim();
        return done;
      });
    } catch (error) {
      this.#load();
      throw error;
    }
    this.#emitChange(this.#pending.takeChanges());
    return result;
  }

  #emitChange(change: PendingChange): void {
    if (change.added.length + change.removed.length > 0) this.#changeListeners.emit(change);
  }

  get #pending(): PendingTxs {
    return this.#contents.pending;
  }

  /** Listeners are called after the commit that made transactions pending. Returns an unsubscribe function. */
  onPending(listener: () => void): () => void {
    return this.#pendingListeners.add(listener);
  }

  /**
   * Listeners are called after the commit that added transactions, in whatever state, with their hashes. Returns an
   * unsubscribe function.
   */
  onAdded(listener: (hashes: readonly Uint8Array[]) => void): () => void {
    return this.#addedListeners.add(listener);
  }

  /** Listeners are called after the commit that changed which txs are pending. Returns an unsubscribe function. */
  onPendingChange(listener: (change: PendingChange) => void): () => void {
    return this.#changeListeners.add(listener);
  }

  /** Runs an operation that may make txs pending. */
  #commitPending<T>(work: () => T): T {
    const before = this.pendingCount;
    const result = this.#commit(work);
    if (this.pendingCount > before) this.#pendingListeners.emit();
    return result;
  }

  /** Takes limits over at once; a lower one acts with the next tx. */
  configure({ maxPending, archived }: Partial<Pick<PoolOptions, "maxPending" | "archived">>): void {
    if (maxPending !== undefined) this.#options.maxPending = maxPending;
    if (archived !== undefined) this.#archive.limit = archived;
  }

  /**
   * Adds txs whose form and contents were checked (docs/protocol/07-transactions-and-fees.md#721-adding). Returns an
   * outcome for each, in their order. Throws StoreFullError.
   */
  add(txs: readonly NewTx[], bidding: Bidding): Admission[] {
    return this.#add(txs, (all) => this.#admission.add(all, bidding));
  }

  /**
   * Adds txs that a proposal for a slot names, as protected until the slot is over. Where too many hashes or
   * bytes are protected already, they are added as others are. Throws StoreFullError.
   */
  addProtected(txs: readonly NewTx[], slot: number): Admission[] {
    return this.#add(txs, (all) => {
      for (const { hash } of all) this.#contents.protect(mapKey(hash), slot);
      return this.#admission.add(all, BY_RANK);
    });
  }

  #add(txs: readonly NewTx[], work: (txs: readonly NewTx[]) => Admission[]): Admission[] {
    const { path } = this.#store;
    if (this.#store.freeBytes() < LEFT_FREE) throw new StoreFullError(path, "disk");
    const admissions = this.#commitPending(() => work(txs));
    for (const { outcome } of admissions) if (outcome !== "accepted") this.refused[outcome]++;
    const added = txs.filter((_, i) => admissions[i].outcome === "accepted").map(({ hash }) => hash);
    if (added.length > 0) this.#addedListeners.emit(added);
    return admissions;
  }

  /**
   * Whether a gossiped tx would be taken, as far as the pool's own rules go
   * (docs/protocol/07-transactions-and-fees.md#718-gossip).
   */
  wouldAccept(tx: NewTx): boolean {
    return this.#admission.wouldAccept(tx);
  }

  /**
   * Txs that a proposal for a slot names: they leave the pending ones until the slot is over. Returns the hashes of
   * those not there.
   */
  protect(hashes: readonly Uint8Array[], slot: number): Uint8Array[] {
    const missing = this.#commit(() =>
      hashes.filter((hash) => {
        const key = mapKey(hash);
        this.#contents.protect(key, slot);
        if (this.#contents.entries.has(key)) return false;
        if (!this.#contents.retired.isDeleted(key)) return true;
        const summary = this.#contents.bodies.summary(hash);
        if (summary === undefined) return true;
        const { now, minedIn } = this.#chain;
        const { bytes } = summary;
        this.#contents.enter(poolEntry(summary, { bytes, receivedAt: now(), minedIn: minedIn(summary.hash) }));
        this.protections.restored++;
        return false;
      }),
    );
    this.protections.missing += missing.length;
    return missing;
  }

  /** Txs since the start that left without being final, by reason. */
  get evicted(): ReadonlyMap<DropReason, number> {
    return this.#contents.evicted;
  }

  /** Deletes txs that could not be executed. */
  remove(hashes: readonly Uint8Array[]): void {
    this.#commit(() => {
      for (const hash of hashes) {
        const entry = this.#contents.entries.get(mapKey(hash));
        if (entry !== undefined) this.#contents.evict([entry], "execution failed");
      }
    });
  }

  /** Forgets every tx with its body, archived ones too, in one commit. */
  clear(): void {
    const removed = [...this.#pending.all()].map(({ hash }) => hash);
    this.#store.transaction(() => {
      this.#contents.clearStored();
      this.#archive.clear();
    });
    this.#load();
    this.#emitChange({ added: [], removed });
  }

  /** The chain took a block on (docs/protocol/07-transactions-and-fees.md#724-events-of-the-chain). */
  blockAdded(block: AddedBlock): void {
    if (this.isEmpty) return;
    this.#commit(() => {
      const ref = { number: block.number, hash: block.hash };
      const found = block.txHashes.flatMap((hash) => this.#contents.entries.get(mapKey(hash)) ?? []);
      for (const entry of found) {
        const { receivedAt, minedIn } = entry;
        // Txs that were loaded at the start have no time of arrival.
        if (minedIn === undefined && receivedAt > 0) this.minedDelays.record(this.#chain.now() - receivedAt);
        this.#contents.mine(entry, ref);
      }
      this.#contents.evict(spent(this.#pending, block), "nullifier spent");
      this.#contents.evict(expired(this.#pending, block), "expired");
      const payers = found.map(({ payerKey }) => payerKey);
      const poor = unpaid(this.#pending, payers, (payer) => this.#chain.feeJuice(payer, block.number));
      this.#contents.evict(poor, "fee payer cannot pay");
    });
  }

  /** The min fees after a block, for networks where pending txs have to offer them. */
  minFeesAre(fees: GasFees): void {
    const poor = underpriced(this.#pending, fees);
    if (poor.length > 0) this.#commit(() => this.#contents.evict(poor, "fee too low"));
  }

  /** The slot that now is, or is about to be built for; calls for the same one change nothing more. */
  slotStarted(slot: number): void {
    if (slot === this.#contents.slot) return;
    this.#commitPending(() =>
      this.#admission.settle(this.#admission.becomePending(this.#contents.beginSlot(slot)).map(({ key }) => key)),
    );
  }

  /**
   * The chain now ends at block `tip`. Txs of later blocks are pending again where they may be. `checkpoints` says how
   * many checkpoints went: with none, only proposed blocks did.
   */
  pruned(tip: number, checkpoints: number): void {
    const unmined = this.#mined((block) => block > tip);
    if (unmined.length === 0) return;
    this.#commitPending(() => {
      for (const entry of unmined) this.#contents.unmine(entry);
      if (this.#options.deleteAfterReorg && checkpoints > 0) {
        this.#contents.evict(unmined, "reorg");
        return;
      }
      this.#admission.becomePending(unmined.filter((entry) => this.#contents.stateOf(entry) === "pending"));
      const { hasBlock, feeJuice } = this.#chain;
      const unanchored = [...this.#pending.all()].filter(({ anchorHash }) => !hasBlock(anchorHash, tip));
      this.#contents.evict(unanchored, "anchor block gone");
      const poor = unpaid(this.#pending, this.#pending.payers(), (payer) => feeJuice(payer, tip));
      this.#contents.evict(poor, "fee payer cannot pay");
      this.#contents.evict(surplus(this.#pending, this.#options.maxPending), "pool full");
    });
  }

  /** Blocks up to `block` stay for good: their txs are archived and leave. */
  finalized(block: number): void {
    const settled = this.#mined((number) => number <= block);
    if (settled.length === 0 && this.#contents.retired.finalized(block).length === 0) return;
    this.#commit(() => {
      for (const entry of settled) {
        const body = this.#archive.enabled ? this.#contents.bodies.get(entry.hash) : undefined;
        if (body !== undefined) this.#archive.add(body);
        this.#contents.delete(entry);
      }
      this.#contents.finalize(block);
    });
  }

  /** Entries in some blocks, those of lower blocks first. */
  #mined(matches: (block: number) => boolean): PoolEntry[] {
    const found = [...this.#contents.entries.values()].flatMap((entry) =>
      entry.minedIn !== undefined && matches(entry.minedIn.number) ? [{ entry, block: entry.minedIn.number }] : [],
    );
    return found.sort((a, b) => a.block - b.block).map(({ entry }) => entry);
  }
}
