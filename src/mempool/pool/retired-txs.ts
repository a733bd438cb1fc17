import { mapKey, readU32, writeU32 } from "../../protocol/bytes.ts";
import type { Table } from "../../storage/table.ts";
import type { PoolStore } from "./pool-store.ts";

/**
 * Why the body of a tx is kept (docs/protocol/07-transactions-and-fees.md#725-bodies): the tx was deleted from the pool
 * during a slot, or a reorg removed it from a block, after which it may have been deleted too.
 */
type Retirement =
  | { kind: "deleted"; bytes: number; slot: number }
  | { kind: "unmined"; bytes: number; block: number; deleted: boolean };

const KIND = { deleted: 1, unmined: 2, unminedAndDeleted: 3 } as const;

interface RetiredTx {
  hash: Uint8Array;
  bytes: number;
}

/** Marks of retired txs. Stored by hash: kind u8 | block u32. Slots are not stored. */
export class RetiredTxs {
  readonly #table: Table;
  readonly #marks = new Map<string, Retirement & { hash: Uint8Array }>();
  #deletedBytes = 0;

  constructor(store: PoolStore) {
    this.#table = store.table("pool-marks");
  }

  /** Reloads the marks from the store. Txs deleted by an earlier run count as deleted before any slot. */
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

  /** Removes the stored marks; call `load` afterwards. */
  clearStored(): void {
    this.#table.clear();
  }

  /** Whether the tx left the pool while its body stays. */
  isDeleted(key: string): boolean {
    const mark = this.#marks.get(key);
    return mark !== undefined && (mark.kind === "deleted" || mark.deleted);
  }

  /** Bytes of the bodies of deleted txs. */
  get deletedBytes(): number {
    return this.#deletedBytes;
  }

  delete({ hash, bytes }: RetiredTx, slot: number): void {
    const before = this.#marks.get(mapKey(hash));
    this.#set(hash, before?.kind === "unmined" ? { ...before, deleted: true } : { kind: "deleted", bytes, slot });
    this.#write(hash);
  }

  /** Marks a tx that a reorg removed from a block; the highest block counts. */
  unmine({ hash, bytes }: RetiredTx, block: number): void {
    const before = this.#marks.get(mapKey(hash));
    const known = before?.kind === "unmined" ? before : undefined;
    if (known !== undefined && known.block >= block) return;
    this.#set(hash, { kind: "unmined", bytes, block, deleted: known?.deleted ?? false });
    this.#write(hash);
  }

  /** Called when the tx is mined again; a block at least as high as before clears the mark. */
  mined(hash: Uint8Array, block: number): void {
    const mark = this.#marks.get(mapKey(hash));
    if (mark?.kind === "unmined" && block >= mark.block) this.forget(hash);
  }

  /** Called when the tx enters the pool again. */
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

  /** Txs deleted before a slot. */
  deletedBefore(slot: number): Uint8Array[] {
    return this.#hashes((mark) => mark.kind === "deleted" && mark.slot < slot);
  }

  /** Deleted txs that were mined in a block up to `block`. */
  finalized(block: number): Uint8Array[] {
    return this.#hashes((mark) => mark.kind === "unmined" && mark.deleted && mark.block <= block);
  }

  /** Deleted txs, oldest deletion first. */
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
