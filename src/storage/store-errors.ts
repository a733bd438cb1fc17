import { constants } from "node:os";
import { OperatorError } from "../errors/operator-error.ts";

/** What keeps a write from being stored: no blocks on the disk (or quota), or the store's own largest size. */
export type FullReason = "disk" | "map";

const FULL: Record<FullReason, string> = {
  disk: "the disk is full",
  map: "it has reached its largest size (--data-store-map-size-kb)",
};

/** A write found no room. Nothing of its transaction is stored; what was committed before is whole. */
export class StoreFullError extends OperatorError {
  override readonly errorCode: string = "store-full";

  readonly path: string;
  readonly reason: FullReason;

  constructor(path: string, reason: FullReason, options?: ErrorOptions) {
    super(`the store ${path} cannot be written: ${FULL[reason]}`, options);
    this.name = "StoreFullError";
    this.path = path;
    this.reason = reason;
  }
}

/** LMDB's codes for a database file whose pages contradict one another (lmdb.h). */
const CORRUPTION = new Map([
  [-30797, "MDB_PAGE_NOTFOUND"],
  [-30796, "MDB_CORRUPTED"],
  [-30795, "MDB_PANIC"],
  [-30793, "MDB_INVALID"],
]);
const MAP_FULL = -30792;
/** A full disk, a used up quota, a file as large as its process may make it: by the names of Node.js, by the numbers of LMDB. */
const NO_ROOM = new Set<unknown>([
  "ENOSPC",
  "EDQUOT",
  "EFBIG",
  constants.errno.ENOSPC,
  constants.errno.EDQUOT,
  constants.errno.EFBIG,
]);

/** A page or a row of the store is not what was written. */
export class StoreCorruptedError extends OperatorError {
  override readonly errorCode: string = "store-corrupted";

  readonly path: string;
  /** What was found, in one clause. */
  readonly rule: string;

  constructor(path: string, rule: string, options?: ErrorOptions) {
    super(`the store ${path} is corrupted: ${rule}. \`svc db check\` lists what is wrong with it`, options);
    this.name = "StoreCorruptedError";
    this.path = path;
    this.rule = rule;
  }
}

export type StoreFault = StoreFullError | StoreCorruptedError;

/** Name of an LMDB code for a damaged database, undefined for any other number. */
export function corruptionName(code: number): string | undefined {
  return CORRUPTION.get(code);
}

/** What LMDB or the file system threw, as an error of the store where it is about one. */
export function storeError(path: string, cause: unknown): unknown {
  if (!(cause instanceof Error) || !("code" in cause)) return cause;
  const { code } = cause;
  if (code === MAP_FULL) return new StoreFullError(path, "map", { cause });
  if (NO_ROOM.has(code)) return new StoreFullError(path, "disk", { cause });
  const name = typeof code === "number" ? corruptionName(code) : undefined;
  return name === undefined ? cause : new StoreCorruptedError(path, `LMDB found ${name}`, { cause });
}
