import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";

/**
 * Reserves disk space after the last page of an LMDB data file, so that LMDB itself never hits a full disk: if a write
 * of a commit fails, lmdb-js 3.5 formats a message into a 100-byte buffer that is too small (mdb.c, mdb_page_flush),
 * which corrupts the heap. Space is reserved by appending zeros to the file, where a full disk is an ordinary error.
 * LMDB reads only pages up to the last one in its meta pages, so zeros after that have no effect.
 *
 * Meta pages 0 and 1 (see inspect.ts): page size u32 at 48, last page u64 at 144, transaction u64 at 152.
 */
const META_BYTES = 160;
const PAGE_SIZE = 48;
const LAST_PAGE = 144;
const TRANSACTION = 152;

const PIECE = Buffer.alloc(1024 * 1024);
/** Minimum growth of the file, so that small commits do not each extend it. */
const STEP_BYTES = 4 * 1024 * 1024;

export class FileRoom {
  readonly #fd: number;
  readonly pageSize: number;
  readonly #meta = Buffer.alloc(META_BYTES);
  #size: number;

  /** `directory` contains an environment that has been opened before. */
  constructor(directory: string) {
    this.#fd = openSync(join(directory, "data.mdb"), "r+");
    this.#read(0);
    this.pageSize = this.#meta.readUInt32LE(PAGE_SIZE);
    this.#size = fstatSync(this.#fd).size;
  }

  #read(at: number): void {
    readSync(this.#fd, this.#meta, 0, META_BYTES, at);
  }

  /** Size of the file up to the last page of the latest commit, in bytes. */
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
   * Ensures that at least `bytes` are allocated after the last page. If there is no space, throws the file system's
   * error and leaves the file unchanged.
   */
  ensure(bytes: number): void {
    const end = this.usedBytes() + bytes;
    if (end <= this.#size) return;
    // LMDB may have extended the file meanwhile.
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
      // After a short write, the next write fails and gives the reason.
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
