import { statfsSync } from "node:fs";
import { FileRoom } from "./file-room.ts";
import { StoreFullError, storeError } from "./store-errors.ts";

/** Allowance for pages that every commit writes: roots, branches, the free list. */
const BASE_BYTES = 1024 * 1024;
/** Step in which space is reserved during a transaction. */
const AHEAD_BYTES = 4 * 1024 * 1024;
/**
 * Up to this size space is allocated; beyond it, only free space is checked. Commits at the chain tip need far less.
 */
const MAX_ALLOCATED = 64 * 1024 * 1024;
const PAGE_HEADER = 24;
/** A split leaves two half-full leaves. */
const SPLIT = 2;

/**
 * Reserves disk space for a transaction before LMDB writes it (FileRoom explains why), and enforces the environment's
 * maximum size, which lmdb-js would raise as needed. The estimate is an upper bound: one copied page per row (limited
 * to the existing pages) plus the new bytes.
 */
export class WriteRoom {
  readonly #path: string;
  readonly #file: FileRoom;
  readonly #maxBytes: number;
  #rows = 0;
  #bytes = 0;
  #ensured = 0;

  /** `path` is the folder of an open environment, `maxBytes` its maximum size. */
  constructor(path: string, maxBytes: number) {
    this.#path = path;
    this.#file = new FileRoom(path);
    this.#maxBytes = maxBytes;
  }

  /** Called when a transaction starts. Throws StoreFullError. */
  begin(): void {
    this.#rows = 0;
    this.#bytes = 0;
    this.#ensured = 0;
    this.#ensure(BASE_BYTES);
  }

  /** Called before a row is written; a removal has 0 bytes. Throws StoreFullError. */
  row(bytes: number): void {
    const { pageSize } = this.#file;
    this.#rows++;
    // A value larger than about half a page is stored in overflow pages.
    this.#bytes +=
      2 * bytes > pageSize - PAGE_HEADER
        ? Math.ceil((bytes + PAGE_HEADER) / pageSize) * pageSize
        : SPLIT * (bytes + PAGE_HEADER);
    const least = BASE_BYTES + this.#rows * pageSize + this.#bytes;
    if (least > this.#ensured) this.#ensure(least + AHEAD_BYTES);
  }

  #ensure(bytes: number): void {
    const { pageSize } = this.#file;
    const used = this.#file.usedBytes();
    const copies = Math.max(0, this.#rows * pageSize - used);
    const need = bytes - copies;
    if (used + need > this.#maxBytes) throw new StoreFullError(this.#path, "map");
    try {
      this.#file.ensure(Math.min(need, MAX_ALLOCATED));
    } catch (error) {
      throw storeError(this.#path, error);
    }
    if (need > MAX_ALLOCATED && freeBytes(this.#path) < need - MAX_ALLOCATED) {
      throw new StoreFullError(this.#path, "disk");
    }
    this.#ensured = bytes;
  }

  close(): void {
    this.#file.close();
  }
}

/** Free space available to this user on the file system of a folder, in bytes. */
export function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

/** Size of the file system of a path, in bytes. */
export function diskBytes(path: string): number {
  const { blocks, bsize } = statfsSync(path);
  return blocks * bsize;
}
