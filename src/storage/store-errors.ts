import { constants } from "node:os";
import { OperatorError } from "../errors/operator-error.ts";

/** Why a write failed: the disk (or quota) is full, or the store has reached its maximum size. */
type FullReason = "disk" | "map";

const FULL: Record<FullReason, string> = {
  disk: "the disk is full",
  map: "it has reached its largest size (--data-store-map-size-kb)",
};

/** There is no space for a write. Its transaction is not stored; earlier commits are intact. */
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

/**
 * LMDB's error codes for a corrupted database file, and those that follow from one (lmdb.h): a tree that is deeper than
 * LMDB can hold or a page without the room that it states, a table of another kind, a transaction that an earlier error
 * ended, an internal one. What a wrong key or a closed table gives is not among them.
 */
const CORRUPTION = new Map([
  [-30797, "MDB_PAGE_NOTFOUND"],
  [-30796, "MDB_CORRUPTED"],
  [-30795, "MDB_PANIC"],
  [-30793, "MDB_INVALID"],
  [-30787, "MDB_CURSOR_FULL"],
  [-30786, "MDB_PAGE_FULL"],
  [-30784, "MDB_INCOMPATIBLE"],
  [-30782, "MDB_BAD_TXN"],
  [-30779, "MDB_PROBLEM"],
]);
const MAP_FULL = -30792;
/**
 * Codes for a full disk, an exceeded quota, or the process's file size limit: names from Node.js, numbers from LMDB.
 */
const NO_ROOM = new Set<unknown>([
  "ENOSPC",
  "EDQUOT",
  "EFBIG",
  constants.errno.ENOSPC,
  constants.errno.EDQUOT,
  constants.errno.EFBIG,
]);

/** A page or a row of the store is corrupted. */
export class StoreCorruptedError extends OperatorError {
  override readonly errorCode: string = "store-corrupted";

  readonly path: string;
  /** The finding, in one clause. */
  readonly rule: string;

  constructor(path: string, rule: string, options?: ErrorOptions) {
    super(`the store ${path} is corrupted: ${rule}. \`svc db check\` lists what is wrong with it`, options);
    this.name = "StoreCorruptedError";
    this.path = path;
    this.rule = rule;
  }
}

export type StoreFault = StoreFullError | StoreCorruptedError;

/** Name of an LMDB error code for a corrupted database; undefined for other codes. */
function corruptionName(code: number): string | undefined {
  return CORRUPTION.get(code);
}

/** Converts an error of LMDB or the file system to a StoreFullError or StoreCorruptedError if it means that. */
export function storeError(path: string, cause: unknown): unknown {
  if (!(cause instanceof Error) || !("code" in cause)) return cause;
  const { code } = cause;
  if (code === MAP_FULL) return new StoreFullError(path, "map", { cause });
  if (NO_ROOM.has(code)) return new StoreFullError(path, "disk", { cause });
  const name = typeof code === "number" ? corruptionName(code) : undefined;
  return name === undefined ? cause : new StoreCorruptedError(path, `LMDB found ${name}`, { cause });
}
