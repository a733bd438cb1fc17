import type { Logger } from "../../../telemetry/logger.ts";
import type { DutyKind } from "../duty.ts";

/**
 * Names the history of commits that a PostgreSQL server continues (text) and the position in it (decimal text). A
 * promoted standby begins a new timeline, a database made anew has another system identifier, files can only be put
 * back while the server is stopped, and the position of a server that lost commits goes back.
 */
export const WAL_HISTORY = `(SELECT system_identifier::text FROM pg_control_system()) || '/' ||
  left(pg_walfile_name(pg_current_wal_lsn()), 8) || '/' || extract(epoch FROM pg_postmaster_start_time())::text
  AS history, (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::text AS position`;

/** For servers that do not answer WAL_HISTORY. */
export const START_HISTORY = "extract(epoch FROM pg_postmaster_start_time())::text AS history, '0' AS position";

/** A signed row that this node has seen. It is not written again, so a table that continues has this version of it. */
export interface Witness {
  /** Lower-case 0x text. */
  readonly validator: string;
  readonly slot: number;
  readonly kind: DutyKind;
  /** -1 for duties other than block proposals. */
  readonly index: number;
  /** The transaction that wrote the row. */
  readonly version: string;
}

/** Where a server is when it answers. */
interface ServerPosition {
  /** Names the server's history of commits and the table in it. */
  readonly history: string;
  readonly position: bigint;
}

export interface ServerAnswer extends ServerPosition {
  /** The witness that was sent along is there. */
  readonly hasWitness: boolean;
}

/** What is known when a statement is sent. */
interface KnownState extends ServerPosition {
  readonly witness: Witness | undefined;
}

/**
 * Signed rows are deleted on request at an age of an hour at least, so a witness is asked for during half of that, in
 * seconds.
 */
export const WITNESS_SECONDS = 1800;

/**
 * Whether the table of duties still has every row that any node of the group committed. What this node has not seen it
 * cannot miss, so everything that can be told from outside counts: another server, timeline, table or file of it, a
 * server that was started again, a position that went back, a known row that is gone or was written anew. Then rows may
 * be lost, and slots up to the newest one of that moment are not safe; a later slot is, because its rows can only be in
 * the table as it is now.
 *
 * The same is true of the moment of the start, when nothing is known: table and folder may both be older than the last
 * signature.
 */
export class DatabaseContinuity {
  readonly #logger: Logger;
  readonly #slots: number;
  #upTo: number;
  #server: ServerPosition;
  #witness: Witness | undefined;

  /**
   * `upTo` is the newest slot that may have been signed for before the start, `slots` for how many slots a signed row
   * is in the table.
   */
  constructor(
    server: ServerPosition,
    witness: Witness | undefined,
    upTo: number,
    { slots, logger }: { slots: number; logger: Logger },
  ) {
    this.#server = server;
    this.#witness = witness;
    this.#upTo = upTo;
    this.#slots = slots;
    this.#logger = logger;
  }

  /** Rows of duties up to this slot may be missing. */
  get upTo(): number {
    return this.#upTo;
  }

  /**
   * To be taken before a statement is sent, because answers of concurrent statements come in any order. `newestSlot` as
   * for `note`.
   */
  known(newestSlot: number): KnownState {
    const witness = this.#witness;
    return { ...this.#server, witness: witness && witness.slot > newestSlot - this.#slots ? witness : undefined };
  }

  /** Remembers a signed row, unless a newer one is known. */
  saw(witness: Witness): void {
    if (this.#witness === undefined || witness.slot >= this.#witness.slot) this.#witness = witness;
  }

  /**
   * Compares the answer of a statement with what was known when it was sent. `newestSlot` is the newest slot that any
   * node can have signed for.
   */
  note({ history, position, hasWitness }: ServerAnswer, before: KnownState, newestSlot: number): void {
    const fault = this.#faultOf({ history, position }, before, hasWitness);
    if (fault !== undefined) {
      this.#server = { history, position };
      this.#witness = undefined;
      if (newestSlot > this.#upTo) {
        this.#upTo = newestSlot;
        this.#logger.warn({ history, slot: newestSlot }, `${fault}: no duty is signed up to slot {slot}`);
      }
    } else if (position > this.#server.position) {
      this.#server = { history, position };
    }
  }

  #faultOf({ history, position }: ServerPosition, before: KnownState, hasWitness: boolean): string | undefined {
    if (history !== this.#server.history) {
      return "the high-availability database was started again, restored or replaced, and may lack rows";
    }
    if (history === before.history && position < before.position) {
      return "the high-availability database has lost commits";
    }
    if (!hasWitness) return "the high-availability database lacks a row that it had, or was filled anew";
    return undefined;
  }
}
