import type { RootDatabase } from "lmdb";

/** LMDB tells nobody of a commit. Reading the number of the last transaction takes about two microseconds. */
const LOOK_MS = 5;

/** What lmdb-js has of an environment beside its databases (mdb_env_info). Not in its declared types. */
interface WithEnvironment {
  env: { info(): { lastTxnId: number } };
}

/** The number of an environment's last committed transaction, of whatever process. */
export function lastTransaction(root: RootDatabase<Buffer, Buffer>): number {
  return (root as unknown as WithEnvironment).env.info().lastTxnId;
}

/** Looks for commits of other processes, until stopped. */
export class ForeignCommits {
  readonly #timer: NodeJS.Timeout;
  #seen: number;

  constructor(root: RootDatabase<Buffer, Buffer>, committed: () => void) {
    this.#seen = lastTransaction(root);
    this.#timer = setInterval(() => {
      const last = lastTransaction(root);
      if (last === this.#seen) return;
      this.#seen = last;
      committed();
    }, LOOK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
