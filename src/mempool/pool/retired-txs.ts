import { readU32, writeU32 } from "../../protocol/bytes.ts";
import type { Table } from "../../storage/store.ts";
import { mapKey } from "../../world-state/indexed-overlay.ts";
import type { PoolStore } from "./pool-store.ts";

/**
 * Why a tx's body is kept although the tx may have left the pool (sheet 06 section 2.8): it was deleted during a slot, or a reorg took it out
 * of a block, after which it may have been deleted too.
 */
type Retirement =
  | { kind: "deleted"; bytes: number; slot: number }
  | { kind: "unmined"; bytes: number; block: number; deleted: boolean };

const KIND = { deleted: 1, unmined: 2, unminedAndDeleted: 3 } as const;

export interface RetiredTx {
  hash: Uint8Array;
  bytes: number;
}

/**
 * Marks of txs beside the pool's entries. In the store by hash: kind u8 | block u32. Slots are not stored.
 */
export class RetiredTxs {
  readonly #table: Table;
  readonly #marks = new Map<string, Retirement & { hash: Uint8Array }>();
  #deletedBytes = 0;

  constructor(store: PoolStore) {
    this.#table = store.table("pool-marks");
  }

  /** Reads the store's marks anew. What an earlier run deleted is as if deleted before any slot. */
  load(bodies: { size(hash: Uint8Array): number }): void {
    this.#marks.clear();
    this.#deletedBytes = 0;
    for (const { key, value } of this.#table.range({})) {
      const hash = new Uint8Array(key);
      const bytes = bodies.size(hash);
      if (value[0] === KIND.deleted) this.#set(hash, { kind: "deleted", bytes, slot: -1 });
      else {
        const deleted = value[0] === KIND.unminedAndDeleted;
        this.#set(hash, { kind: "unmined", bytes, block: readU32(value, 1), deleted });
      }
    }
  }

  /** Removes the stored marks; `load` takes that over. */
  clearStored(): void {
    this.#table.clear();
  }

  /** Left the pool; the body stays. */
  isDeleted(key: string): boolean {
    const mark = this.#marks.get(key);
    return mark !== undefined && (mark.kind === "deleted" || mark.deleted);
  }

  /** Bytes of bodies that stay although the tx left the pool. */
  get deletedBytes(): number {
    return this.#deletedBytes;
  }

  delete({ hash, bytes }: RetiredTx, slot: number): void {
    const before = this.#marks.get(mapKey(hash));
    this.#set(hash, before?.kind === "unmined" ? { ...before, deleted: true } : { kind: "deleted", bytes, slot });
    this.#write(hash);
  }

  /** A reorg took the tx out of a block; of several the highest counts. */
  unmine({ hash, bytes }: RetiredTx, block: number): void {
    const before = this.#marks.get(mapKey(hash));
    const known = before?.kind === "unmined" ? before : undefined;
    if (known !== undefined && known.block >= block) return;
    this.#set(hash, { kind: "unmined", bytes, block, deleted: known?.deleted ?? false });
    this.#write(hash);
  }

  /** In a block again; one as high as before makes the mark needless. */
  mined(hash: Uint8Array, block: number): void {
    const mark = this.#marks.get(mapKey(hash));
    if (mark?.kind === "unmined" && block >= mark.block) this.forget(hash);
  }

  /** In the pool again. */
  restore(hash: Uint8Array): void {
    const mark = this.#marks.get(mapKey(hash));
    if (mark?.kind === "deleted") this.forget(hash);
    else if (mark?.deleted) {
      this.#set(hash, { ...mark, deleted: false });
      this.#write(hash);
    }
  }

  forget(hash: Uint8Array): void {
    this.#drop(mapKey(hash));
    this.#table.remove(hash);
  }

  /** Deleted before a slot. */
  deletedBefore(slot: number): Uint8Array[] {
    return this.#hashes((mark) => mark.kind === "deleted" && mark.slot < slot);
  }

  /** Deleted, and once mined in a block up to `block`. */
  finalized(block: number): Uint8Array[] {
    return this.#hashes((mark) => mark.kind === "unmined" && mark.deleted && mark.block <= block);
  }

  /** Deleted ones, the longest ago first. */
  *oldestDeleted(): Generator<Uint8Array> {
    for (const mark of [...this.#marks.values()]) if (isGone(mark)) yield mark.hash;
  }

  #hashes(matches: (mark: Retirement) => boolean): Uint8Array[] {
    return [...this.#marks.values()].filter(matches).map(({ hash }) => hash);
  }

  #set(hash: Uint8Array, mark: Retirement): void {
    const key = mapKey(hash);
    this.#drop(key);
    this.#marks.set(key, { ...mark, hash });
    if (isGone(mark)) this.#deletedBytes += mark.bytes;
  }

  #drop(key: string): void {
    const mark = this.#marks.get(key);
    if (mark !== undefined && isGone(mark)) this.#deletedBytes -= mark.bytes;
    this.#marks.delete(key);
  }

  #write(hash: Uint8Array): void {
    const mark = this.#marks.get(mapKey(hash));
    if (mark === undefined) return;
    const row = new Uint8Array(5);
    if (mark.kind === "deleted") row[0] = KIND.deleted;
    else {
      row[0] = mark.deleted ? KIND.unminedAndDeleted : KIND.unmined;
      writeU32(row, 1, mark.block);
    }
    this.#table.put(hash, row);
  }
}

function isGone(mark: Retirement): boolean {
  return mark.kind === "deleted" || mark.deleted;
}
