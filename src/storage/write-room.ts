import { statfsSync } from "node:fs";
import { FileRoom } from "./file-room.ts";
import { StoreFullError, storeError } from "./store-errors.ts";

/** For what any commit writes: roots, branches, the list of free pages. */
const BASE_BYTES = 1024 * 1024;
/** Asked for ahead while a transaction goes on. */
const AHEAD_BYTES = 4 * 1024 * 1024;
/** As much is allocated; for more it has to be free. Commits at the tip of the chain need far less. */
const MOST_ALLOCATED = 64 * 1024 * 1024;
const PAGE_HEADER = 24;
/** A leaf that splits is left half full. */
const SPLIT = 2;

/**
 * Has room on the disk for what a transaction may write, before LMDB writes it (see FileRoom for why), and holds the environment to
 * its largest size, which lmdb-js by itself raises as needed. The need is an upper estimate: a copy of one page for each row, as far as there
 * are pages to copy, and the new bytes.
 */
export class WriteRoom {
  readonly #path: string;
  readonly #file: FileRoom;
  readonly #maxBytes: number;
  #rows = 0;
  #bytes = 0;
  #ensured = 0;

  /** `path` is the folder of an open environment; `maxBytes` its largest size. */
  constructor(path: string, maxBytes: number) {
    this.#path = path;
    this.#file = new FileRoom(path);
    this.#maxBytes = maxBytes;
  }

  /** A transaction begins. Throws StoreFullError. */
  begin(): void {
    this.#rows = 0;
    this.#bytes = 0;
    this.#ensured = 0;
    this.#ensure(BASE_BYTES);
  }

  /** A row is put, or removed with no bytes. Throws StoreFullError. */
  row(bytes: number): void {
    const { pageSize } = this.#file;
    this.#rows++;
    // A value of more than about half a page has pages of its own.
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
      this.#file.ensure(Math.min(need, MOST_ALLOCATED));
    } catch (error) {
      throw storeError(this.#path, error);
    }
    if (need > MOST_ALLOCATED && freeBytes(this.#path) < need - MOST_ALLOCATED) {
      throw new StoreFullError(this.#path, "disk");
    }
    this.#ensured = bytes;
  }

  close(): void {
    this.#file.close();
  }
}

/** Free bytes of the file system of a folder, as this user may take them. */
export function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}
