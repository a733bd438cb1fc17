import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";

/**
 * Keeps disk space ready behind the last page of an LMDB data file, so that LMDB itself never meets a full disk: when a write of a
 * commit fails, lmdb-js 3.5 formats a message into 100 bytes that it does not fit in (mdb.c, mdb_page_flush), which corrupts the
 * heap of the process. Space is taken by writing zeros behind the end of the file, where a full disk is an ordinary error. LMDB reads only
 * pages up to the last one that its meta pages name, so zeros behind that change nothing.
 *
 * Meta pages 0 and 1 (see inspect.ts): page size u32 at 48, last page u64 at 144, transaction u64 at 152.
 */
const META_BYTES = 160;
const PAGE_SIZE = 48;
const LAST_PAGE = 144;
const TRANSACTION = 152;

const PIECE = Buffer.alloc(1024 * 1024);
/** Least growth of the file, so that small commits do not extend it one by one. */
const STEP_BYTES = 4 * 1024 * 1024;

export class FileRoom {
  readonly #fd: number;
  readonly pageSize: number;
  readonly #meta = Buffer.alloc(META_BYTES);
  #size: number;

  /** `directory` holds an environment that was opened before. */
  constructor(directory: string) {
    this.#fd = openSync(join(directory, "data.mdb"), "r+");
    this.#read(0);
    this.pageSize = this.#meta.readUInt32LE(PAGE_SIZE);
    this.#size = fstatSync(this.#fd).size;
  }

  #read(at: number): void {
    readSync(this.#fd, this.#meta, 0, META_BYTES, at);
  }

  /** Bytes up to the end of the last page of the latest commit. */
  usedBytes(): number {
    let last = 0n;
    let latest = -1n;
    for (const at of [0, this.pageSize]) {
      this.#read(at);
      const transaction = this.#meta.readBigUInt64LE(TRANSACTION);
      if (transaction <= latest) continue;
      latest = transaction;
      last = this.#meta.readBigUInt64LE(LAST_PAGE);
    }
    return (Number(last) + 1) * this.pageSize;
  }

  /**
   * Has at least `bytes` of allocated space behind the last page. Throws what the file system throws when there is none, and leaves
   * the file as it was.
   */
  ensure(bytes: number): void {
    const end = this.usedBytes() + bytes;
    if (end <= this.#size) return;
    // LMDB may have written behind the end that was known.
    this.#size = Math.max(this.#size, fstatSync(this.#fd).size);
    if (end <= this.#size) return;
    const generous = this.#size + STEP_BYTES;
    if (end >= generous || !this.#tryExtend(generous)) this.#extend(end);
  }

  #tryExtend(end: number): boolean {
    try {
      this.#extend(end);
      return true;
    } catch {
      return false;
    }
  }

  #extend(end: number): void {
    try {
      // A short write is followed by one that fails and says why.
      for (let at = this.#size; at < end; ) at += writeSync(this.#fd, PIECE, 0, Math.min(PIECE.length, end - at), at);
    } catch (error) {
      ftruncateSync(this.#fd, this.#size);
      throw error;
    }
    this.#size = end;
  }

  close(): void {
    closeSync(this.#fd);
  }
}
