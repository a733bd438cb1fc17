import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { finishSwap } from "../chain-store/swap.ts";
import { OperatorError } from "../errors/operator-error.ts";
import { type DirectoryLock, lockDirectory } from "../storage/directory-lock.ts";
import { inspectStore } from "../storage/inspect.ts";
import { makeFolder } from "../storage/make-folder.ts";
import type { NodeLogger } from "./logging/logging.ts";

/** The data directory cannot be used. */
export class DataDirectoryError extends OperatorError {
  override readonly errorCode: string = "data-directory";

  readonly path: string;
  readonly rule: string;

  constructor(path: string, rule: string, options?: ErrorOptions) {
    super(`data directory ${path} ${rule}`, options);
    this.name = "DataDirectoryError";
    this.path = path;
    this.rule = rule;
  }
}

export interface DataDirectory {
  /** Folder of the chain store's LMDB environment. The name has no dot, since lmdb-js would take it for a file. */
  readonly chainStore: string;
  readonly path: string;
  readonly temporary: boolean;
  /** Releases the lock and deletes a temporary directory. Synchronous, so that it can run at process exit. */
  release(): void;
}

function create(path: string): void {
  try {
    makeFolder(path);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new DataDirectoryError(
      path,
      `must be a folder that this user can write (${(error as NodeJS.ErrnoException).code})`,
      {
        cause: error,
      },
    );
  }
}

function lock(path: string, onLost: () => void): DirectoryLock {
  try {
    return lockDirectory(path, onLost);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new DataDirectoryError(path, `must be a folder that this user can write (${code})`, { cause: error });
  }
}

/**
 * Prepares the node's data directory: a new temporary one if `configured` is undefined. It is locked for this process
 * until it is released, and its databases are safe to open. `onLost` is called if another process takes over the lock.
 * Throws DataDirectoryError, DirectoryLockedError or DamagedStoreError.
 */
export function openDataDirectory(configured: string | undefined, onLost: () => void): DataDirectory {
  const temporary = configured === undefined;
  const path = temporary ? mkdtempSync(join(tmpdir(), "svc-")) : resolve(configured);
  if (!temporary) create(path);
  const held = lock(path, onLost);
  const release = (): void => {
    held.release();
    if (temporary) rmSync(path, { recursive: true, force: true });
  };
  const chainStore = join(path, "chain");
  try {
    finishSwap(path);
    create(chainStore);
    inspectStore(chainStore);
  } catch (error) {
    release();
    throw error;
  }
  return { path, chainStore, temporary, release };
}

/** The data directory until this process exits. Exits if another takes it over. Throws as openDataDirectory. */
export function holdDataDirectory(configured: string | undefined, log: NodeLogger): DataDirectory {
  const directory = openDataDirectory(configured, () => {
    log.fatal({ path: directory.path }, "another process took over the data directory");
    process.exit(1);
  });
  process.once("exit", () => directory.release());
  return directory;
}
