import { bigUintBytes, readBigUint, readUint, writeUint } from "../../../protocol/bytes.ts";
import type { Store } from "../../../storage/store.ts";
import type { Table } from "../../../storage/table.ts";
import type { Logger } from "../../../telemetry/logger.ts";

const KEPT_HISTORIES = 64;

/**
 * Names the history of commits that a PostgreSQL server continues (text) and the position in it (decimal text). A
 * promoted standby begins a new timeline, a database made anew has another system identifier, and the position of a
 * server that lost commits goes back.
 */
export const WAL_HISTORY = `(SELECT system_identifier::text FROM pg_control_system()) || '/' ||
  left(pg_walfile_name(pg_current_wal_lsn()), 8) AS history, (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::text AS position`;

/** For servers that do not answer WAL_HISTORY. Each start of the server begins a history. */
export const START_HISTORY = "pg_postmaster_start_time()::text AS history, '0' AS position";

interface Known {
  /** Duties up to this slot may be missing from the history. */
  upTo: number;
  position: bigint;
  /** Newest slot when the entry was last written. */
  writtenIn: number;
}

/** upTo u48 | writtenIn u48 | position u64 */
function encode({ upTo, writtenIn, position }: Known): Uint8Array {
  const bytes = new Uint8Array(20);
  writeUint(bytes, 0, 6, upTo);
  writeUint(bytes, 6, 6, writtenIn);
  bytes.set(bigUintBytes(BigInt.asUintN(64, position), 8), 12);
  return bytes;
}

function decode(bytes: Uint8Array): Known {
  return { upTo: readUint(bytes, 0, 6), writtenIn: readUint(bytes, 6, 6), position: readBigUint(bytes, 12, 8) };
}

/**
 * Histories of database servers that this node has seen. A server whose history is new, or goes back, may have lost
 * rows: a failover to a standby that lagged, a restored backup. Slots up to the one in which that is seen are not safe
 * on it; a later slot is, because its rows can only be there.
 */
export class ServerHistories {
  readonly #store: Store;
  readonly #table: Table;
  readonly #logger: Logger;
  readonly #known = new Map<string, Known>();

  constructor(store: Store, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
    this.#table = store.table("server_histories");
    for (const { key, value } of this.#table.range({})) this.#known.set(Buffer.from(key).toString(), decode(value));
  }

  /** Latest known position of each server, to be taken before a statement is sent. */
  positions(): ReadonlyMap<string, bigint> {
    return new Map([...this.#known].map(([history, { position }]) => [history, position]));
  }

  /**
   * Records the answer of a statement: the server's history and position. `before` is `positions()` from before the
   * statement was sent, since answers of concurrent statements come in any order. Returns the slot up to which duties
   * may be missing on the server. `newestSlot` is the newest slot that any node can have signed for.
   */
  note(history: string, position: bigint, before: ReadonlyMap<string, bigint>, newestSlot: number): number {
    const known = this.#known.get(history);
    const lost = position < (before.get(history) ?? 0n);
    if (known === undefined || (lost && known.upTo < newestSlot)) {
      this.#write(history, { upTo: newestSlot, position, writtenIn: newestSlot });
      this.#logger.warn(
        { history, slot: newestSlot },
        known === undefined
          ? "first use of this high-availability database: no new duty is signed up to slot {slot}"
          : "the high-availability database has lost commits: no new duty is signed up to slot {slot}",
      );
      return newestSlot;
    }
    if (position > known.position) known.position = position;
    if (newestSlot > known.writtenIn) this.#write(history, { ...known, writtenIn: newestSlot });
    return known.upTo;
  }

  #write(history: string, entry: Known): void {
    this.#store.transaction(() => {
      this.#table.put(Buffer.from(history), encode(entry));
      this.#known.set(history, entry);
      if (this.#known.size <= KEPT_HISTORIES) return;
      const [oldest] = [...this.#known].reduce((a, b) => (b[1].writtenIn < a[1].writtenIn ? b : a));
      this.#known.delete(oldest);
      this.#table.remove(Buffer.from(oldest));
    });
  }
}
