import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "../errors/operator-error.ts";

/**
 * Checks an LMDB data file before it is mapped: if a mapped file ends before a page in use, the process is killed by
 * SIGBUS, which no handler can turn into a message. Layout: LMDB data format 2 as lmdb-js 3.5 writes it (mdb.c,
 * MDB_meta), little-endian.
 *
 * Meta record, 24 bytes into pages 0 and 1, and half a page into page 0 for the last commit that reached the disk:
 *
 *     0 magic u32 | 4 version u32 | 8 address u64 | 16 map size u64 | 24 free list MDB_db | 72 main MDB_db |
 *     120 last page u64 | 128 transaction u64 | 136 boot id u64
 *
 * MDB_db, 48 bytes: pad u32 (of the free list: page size) | flags u16 (of the free list: environment) | depth u16 | ...
 * | 40 root page u64
 */
const PAGE_HEADER = 24;
const META_SIZE = 144;
const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const NO_PAGE = 0xffffffffffffffffn;
const P_BRANCH = 0x01;
const P_LEAF = 0x02;
const P_OVERFLOW = 0x04;
const P_META = 0x08;
const P_LEAF2 = 0x20;
const F_BIGDATA = 0x01;
const F_SUBDATA = 0x02;
/** Flag of a meta record whose pages may not have been flushed to disk. */
const ENV_OVERLAPPING_SYNC = 0x1000;

/** A database file cannot be opened safely. */
export class DamagedStoreError extends OperatorError {
  override readonly errorCode: string = "damaged-store";

  readonly file: string;
  /** The violated rule, in one clause. */
  readonly rule: string;

  constructor(file: string, rule: string) {
    super(`database file ${file} is damaged: ${rule}`);
    this.name = "DamagedStoreError";
    this.file = file;
    this.rule = rule;
  }
}

interface Meta {
  pageSize: number;
  overlappingSync: boolean;
  roots: bigint[];
  lastPage: bigint;
  transaction: bigint;
  bootId: bigint;
}

class DataFile {
  readonly path: string;
  readonly size: number;
  readonly #fd: number;

  constructor(path: string) {
    this.path = path;
    this.#fd = openSync(path, "r");
    this.size = fstatSync(this.#fd).size;
  }

  read(at: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    const got = readSync(this.#fd, bytes, 0, length, at);
    return bytes.subarray(0, got);
  }

  damaged(rule: string): DamagedStoreError {
    return new DamagedStoreError(this.path, rule);
  }

  close(): void {
    closeSync(this.#fd);
  }
}

function readMeta(file: DataFile, at: number): Meta | undefined {
  const record = file.read(at + PAGE_HEADER, META_SIZE);
  if (record.length < META_SIZE || record.readUInt32LE(0) !== MAGIC) return undefined;
  const version = record.readUInt32LE(4) & 0xffff;
  if (version !== DATA_VERSION) throw file.damaged(`its data format is ${version}, this node reads ${DATA_VERSION}`);
  return {
    pageSize: record.readUInt32LE(24),
    overlappingSync: (record.readUInt16LE(28) & ENV_OVERLAPPING_SYNC) !== 0,
    roots: [record.readBigUInt64LE(64), record.readBigUInt64LE(112)],
    lastPage: record.readBigUInt64LE(120),
    transaction: record.readBigUInt64LE(128),
    bootId: record.readBigUInt64LE(136),
  };
}

/** The first group of the kernel's boot id, as in lmdb-js. Undefined if the system has no boot id. */
function currentBootId(): bigint | undefined {
  const path = "/proc/sys/kernel/random/boot_id";
  if (!existsSync(path)) return undefined;
  return BigInt(`0x${readFileSync(path, "utf8").split("-")[0]}`);
}

/**
 * The meta record that LMDB will use: the newest, or after a crash of the machine the newest that was flushed to disk.
 */
function startingMeta(file: DataFile): Meta {
  const first = readMeta(file, 0);
  if (first === undefined || (file.read(18, 2).readUInt16LE(0) & P_META) === 0) {
    throw file.damaged("its first page is not an LMDB meta page");
  }
  const { pageSize } = first;
  if (pageSize < 512 || pageSize > 65536 || (pageSize & (pageSize - 1)) !== 0) {
    throw file.damaged(`its page size is ${pageSize} instead of a power of two from 512 to 65536`);
  }
  if (file.size < 2 * pageSize) {
    throw file.damaged(`it ends after ${file.size} bytes, before its two meta pages of ${pageSize} bytes each`);
  }
  const second = readMeta(file, pageSize);
  if (second === undefined) throw file.damaged("its second page is not an LMDB meta page");
  const latest = first.transaction >= second.transaction ? first : second;
  const bootId = currentBootId();
  if (!latest.overlappingSync || bootId === undefined || bootId === latest.bootId) return latest;
  const flushed = readMeta(file, pageSize >> 1);
  return flushed === undefined || flushed.transaction === 0n || latest.transaction < flushed.transaction
    ? latest
    : flushed;
}

/** Visits every page reachable from the trees of `meta`. A page outside the file is damage. */
function walk(file: DataFile, { roots, pageSize }: Meta): void {
  const pages = BigInt(Math.floor(file.size / pageSize));
  const pending = roots.filter((root) => root !== NO_PAGE);
  const seen = new Set<bigint>();
  const inside = (page: bigint, count: bigint): void => {
    if (page + count > pages) {
      throw file.damaged(
        `it ends after ${file.size} bytes, but page ${page + count - 1n} of ${pageSize} bytes is in use`,
      );
    }
  };
  while (pending.length > 0) {
    const number = pending.pop()!;
    if (seen.has(number)) continue;
    seen.add(number);
    inside(number, 1n);
    const page = file.read(Number(number) * pageSize, pageSize);
    if (page.readBigUInt64LE(0) !== number) {
      throw file.damaged(`page ${number} names itself page ${page.readBigUInt64LE(0)}`);
    }
    const flags = page.readUInt16LE(18);
    if ((flags & P_LEAF2) !== 0) continue;
    if ((flags & (P_BRANCH | P_LEAF)) === 0 || (flags & (P_OVERFLOW | P_META)) !== 0) {
      throw file.damaged(`page ${number} is neither a branch nor a leaf`);
    }
    const nodes = page.readUInt16LE(20) >> 1;
    if (PAGE_HEADER + 2 * nodes > pageSize) throw file.damaged(`page ${number} claims ${nodes} entries`);
    for (let i = 0; i < nodes; i++) {
      const at = page.readUInt16LE(PAGE_HEADER + 2 * i) + PAGE_HEADER;
      if (at + 8 > pageSize) throw file.damaged(`entry ${i} of page ${number} lies outside the page`);
      const low = page.readUInt32LE(at);
      const high = page.readUInt16LE(at + 4);
      const value = at + 8 + page.readUInt16LE(at + 6);
      if (value > pageSize) throw file.damaged(`the key of entry ${i} of page ${number} lies outside the page`);
      if ((flags & P_BRANCH) !== 0) pending.push((BigInt(high) << 32n) | BigInt(low));
      else if ((high & F_BIGDATA) !== 0 && value + 24 <= pageSize) {
        inside(page.readBigUInt64LE(value), page.readBigUInt64LE(value + 16));
      } else if ((high & F_SUBDATA) !== 0 && value + 48 <= pageSize) {
        const root = page.readBigUInt64LE(value + 40);
        if (root !== NO_PAGE) pending.push(root);
      }
    }
  }
}

/**
 * Checks the data file of the environment in `directory`; an absent or empty file is a new environment. Throws
 * DamagedStoreError. Needs only three small reads if the file is complete. A file that ends before its last page number
 * is valid if only free pages are missing; that requires a walk over all pages in use.
 */
export function inspectStore(directory: string): void {
  inspect(directory, false);
}

/** Like `inspectStore`, but always visits every page in use. Reads all of them except those of long values. */
export function inspectPages(directory: string): void {
  inspect(directory, true);
}

function inspect(directory: string, everyPage: boolean): void {
  const path = join(directory, "data.mdb");
  if (!existsSync(path)) return;
  const file = new DataFile(path);
  try {
    if (file.size === 0) return;
    if (file.size < PAGE_HEADER + META_SIZE)
      throw file.damaged(`it ends after ${file.size} bytes, inside its first meta page`);
    const meta = startingMeta(file);
    if (everyPage || (meta.lastPage + 1n) * BigInt(meta.pageSize) > BigInt(file.size)) walk(file, meta);
  } finally {
    file.close();
  }
}
