import { mkdtempSync, rmSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { within } from "../../events/within.ts";
import type { Store } from "../../storage/store.ts";
import type { Logger } from "../../telemetry/logger.ts";

interface SnapshotCopiesOptions {
  store: Pick<Store, "path" | "copyTo">;
  /** Beginning of the path of new folders, on a file system with room for the store. */
  folderPrefix: string;
  /** A copy is given to followers that ask within this time; its chain is then behind by as much. */
  freshMs?: number;
  /** A copy that nobody reads is removed after this time. */
  idleMs?: number;
  /** Longest wait for a copy that is being made. */
  waitMs?: number;
  log: Logger;
}

/** A copy of the store that is being read. */
interface SnapshotLease {
  readonly file: string;
  readonly bytes: number;
  release(): void;
}

interface Copy {
  folder: string;
  bytes: number;
  madeAt: number;
  readers: number;
  removal: NodeJS.Timeout | undefined;
}

const FRESH_MS = 10 * 60_000;
const IDLE_MS = 5 * 60_000;
const WAIT_MS = 5_000;
/** Pause after a copy that failed. */
const FAILURE_MS = 30_000;
/** Disk space that must stay free. */
const SPARE_BYTES = 64 * 1024 * 1024;

/** Copies of the store for followers that start: made when one asks, one at a time, and shared. */
export class SnapshotCopies {
  readonly #options: SnapshotCopiesOptions;
  readonly #stopping = new AbortController();
  readonly #copies = new Set<Copy>();
  #making: Promise<void> | undefined;
  #failed: { until: number; reason: string } | undefined;

  constructor(options: SnapshotCopiesOptions) {
    this.#options = options;
  }

  /** The copy to read, "making" if there is none after a while, or why there will be none for now. */
  async take(): Promise<SnapshotLease | "making" | { refused: string }> {
    const found = this.#found();
    if (found !== undefined) return found;
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    await within(this.#making, { ms: this.#options.waitMs ?? WAIT_MS });
    return this.#found() ?? "making";
  }

  /** Undefined if a copy is being made, or has to be. */
  #found(): SnapshotLease | { refused: string } | undefined {
    const { freshMs = FRESH_MS } = this.#options;
    const now = performance.now();
    const fresh = [...this.#copies].find(({ madeAt }) => now - madeAt < freshMs);
    if (fresh !== undefined) return this.#lease(fresh);
    if (this.#making !== undefined) return undefined;
    return this.#failed !== undefined && now < this.#failed.until ? { refused: this.#failed.reason } : undefined;
  }

  /** Removes all copies. */
  async close(): Promise<void> {
    this.#stopping.abort(new Error("the feed stops"));
    await this.#making;
    for (const copy of this.#copies) this.#remove(copy);
  }

  #lease(copy: Copy): SnapshotLease {
    clearTimeout(copy.removal);
    copy.readers += 1;
    let released = false;
    return {
      file: join(copy.folder, "data.mdb"),
      bytes: copy.bytes,
      release: () => {
        if (released) return;
        released = true;
        copy.readers -= 1;
        this.#removeWhenIdle(copy);
      },
    };
  }

  #removeWhenIdle(copy: Copy): void {
    if (copy.readers > 0) return;
    copy.removal = setTimeout(() => this.#remove(copy), this.#options.idleMs ?? IDLE_MS);
    copy.removal.unref();
  }

  #remove(copy: Copy): void {
    clearTimeout(copy.removal);
    this.#copies.delete(copy);
    rmSync(copy.folder, { recursive: true, force: true });
  }

  async #make(): Promise<void> {
    const { store, folderPrefix, log } = this.#options;
    const began = performance.now();
    let folder: string | undefined;
    try {
      folder = mkdtempSync(folderPrefix);
      const needed = statSync(join(store.path, "data.mdb")).size + SPARE_BYTES;
      const { bavail, bsize } = statfsSync(folder);
      if (bavail * bsize < needed) throw new Error(`a copy needs ${needed} bytes, ${bavail * bsize} are free`);
      await store.copyTo(folder, this.#stopping.signal);
      const { size: bytes } = statSync(join(folder, "data.mdb"));
      const copy: Copy = { folder, bytes, madeAt: performance.now(), readers: 0, removal: undefined };
      this.#copies.add(copy);
      this.#removeWhenIdle(copy);
      log.info({ bytes, ms: Math.round(copy.madeAt - began) }, "made a copy of the store for followers");
    } catch (error) {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
      if (this.#stopping.signal.aborted) return;
      const reason = (error as Error).message;
      this.#failed = { until: performance.now() + FAILURE_MS, reason };
      log.error({ reason }, "the store cannot be copied for followers");
    }
  }
}
