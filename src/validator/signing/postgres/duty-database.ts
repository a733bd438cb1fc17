import { Client, Pool } from "pg";
import { EndpointBook } from "../../../endpoints/endpoint-book.ts";
import type { EndpointHealth } from "../../../endpoints/endpoint-health.ts";
import { AllEndpointsFailed, hedgedCall } from "../../../endpoints/hedged-call.ts";
import { within } from "../../../events/within.ts";
import { toHex } from "../../../protocol/bytes.ts";
import type { Duty, DutyKind } from "../duty.ts";
import { type ServerAnswer, START_HISTORY, WAL_HISTORY, type Witness } from "./database-continuity.ts";
import { DutyDatabaseError, databaseError } from "./database-error.ts";
import {
  DELETE_OLD_SIGNED,
  DELETE_OTHER_ROLLUPS,
  DELETE_STUCK,
  insertOrGet,
  MARK_SIGNED,
  READ_SCHEMA_VERSION,
  READ_WITNESS,
  RELEASE_LOCK,
  readPosition,
  SCHEMA_VERSION,
} from "./statements.ts";

export interface PoolSettings {
  readonly maxConnections: number;
  readonly minConnections: number;
  readonly idleTimeoutMs: number;
  /** 0 for the timeout of a statement. */
  readonly connectionTimeoutMs: number;
}

/** A duty that this node wants to sign; the lock token is drawn anew for each request to the guard. */
export interface Lock {
  /** Lower-case 0x text. */
  readonly rollup: string;
  readonly validator: string;
  readonly duty: Duty;
  readonly hash: Uint8Array;
  readonly nodeId: string;
  readonly token: string;
}

/** The row of a duty. */
export interface DutyRow extends ServerAnswer {
  /** This node inserted it with the token. */
  readonly mine: boolean;
  readonly status: "signing" | "signed";
  readonly messageHash: string;
  readonly nodeId: string;
  /** The transaction that wrote the row. */
  readonly version: string;
}

interface PositionColumns {
  history: string;
  position: string;
  table_id: string;
  has_witness: boolean;
}

function answerOf({ history, position, table_id, has_witness }: PositionColumns): ServerAnswer {
  return { history: `${history}/${table_id}`, position: BigInt(position), hasWitness: has_witness };
}

/** A look without a witness needs no rollup. */
const NO_ROLLUP = "";
/** A statement that takes longer counts as failed. */
const ANSWER_MS = 5000;
const PROBE_MS = 2_000;

const TOO_MANY_CONNECTIONS = "53300";
/** States of a transaction: another one was in its way. */
const IN_THE_WAY = /^(40|55P)/;

function isOutage(error: unknown): boolean {
  if (!(error instanceof DutyDatabaseError) || !error.transient) return false;
  const { code } = (error.cause ?? {}) as { code?: unknown };
  return typeof code !== "string" || !IN_THE_WAY.test(code);
}

/** Whether a new connection gets an answer, be it that there are too many. Rejects with a DutyDatabaseError. */
async function probe(url: string): Promise<void> {
  const client = new Client({
    ...{ connectionString: url, connectionTimeoutMillis: PROBE_MS, query_timeout: PROBE_MS },
    fallback_application_name: "svc",
  });
  // Of a connection that ends later.
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("SELECT 1");
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code !== TOO_MANY_CONNECTIONS) throw databaseError(error, url);
  } finally {
    client.end().catch(() => undefined);
  }
}

/**
 * A committed row must survive a crash of the server. Sessions for which the server's default would allow less are
 * changed; stronger settings stay.
 */
const MAKE_COMMITS_DURABLE = `SELECT set_config('synchronous_commit', 'on', false)
WHERE current_setting('synchronous_commit') IN ('off', 'local')`;

const indexOf = (duty: Duty) => (duty.kind === "BLOCK_PROPOSAL" ? duty.indexWithinCheckpoint : -1);
const keyOf = ({ rollup, validator, duty }: Lock) => [rollup, validator, duty.slot, duty.kind, indexOf(duty)];
const witnessValues = (witness: Witness | undefined) =>
  witness === undefined
    ? [null, null, null, null, null]
    : [witness.validator, witness.slot, witness.kind, witness.index, witness.version];

/** The row of a lock, once it is signed. */
export function witnessOf({ validator, duty }: Lock, version: string): Witness {
  return { validator, slot: duty.slot, kind: duty.kind, index: indexOf(duty), version };
}

function late(): never {
  throw new DutyDatabaseError(`no answer within ${ANSWER_MS / 1000} s`, { transient: true });
}

/** The shared table of duties. Every method rejects with a DutyDatabaseError. */
export class DutyDatabase {
  readonly #url: string;
  readonly #pool: Pool;
  readonly #health: EndpointHealth;
  #history = START_HISTORY;

  /** `connectionFailed` is called when an idle connection ends. `endpoints` has the health of the server. */
  constructor(
    url: string,
    settings: PoolSettings,
    connectionFailed: (error: DutyDatabaseError) => void,
    endpoints: EndpointBook = new EndpointBook(),
  ) {
    this.#url = url;
    this.#health = endpoints.of("signing-database", url, () => probe(url));
    try {
      this.#pool = new Pool({
        connectionString: url,
        max: settings.maxConnections,
        min: settings.minConnections,
        idleTimeoutMillis: settings.idleTimeoutMs,
        // Unlimited attempts to reach a server that is gone would occupy the pool after a failover.
        connectionTimeoutMillis: settings.connectionTimeoutMs || ANSWER_MS,
        query_timeout: ANSWER_MS,
        keepAlive: true,
        fallback_application_name: "svc",
        onConnect: async (client) => {
          await client.query(MAKE_COMMITS_DURABLE);
        },
      });
    } catch (cause) {
      throw databaseError(cause, url);
    }
    this.#pool.on("error", (error) => connectionFailed(databaseError(error, url)));
  }

  async #query<R extends object>(text: string, values: unknown[], signal?: AbortSignal) {
    const ask = async (_: object, ended: AbortSignal) => {
      try {
        // The pool itself waits without limit for a connection.
        return await within(this.#pool.query<R>(text, values), { ms: ANSWER_MS, late, signal: ended });
      } catch (error) {
        throw databaseError(error, this.#url);
      }
    };
    try {
      return await hedgedCall([{ health: this.#health }], ask, {
        // A statement has its whole time. After one that failed, further ones are sent only once a probe succeeded.
        ...{ kind: "statement", hedge: "probe", hedgeMs: 2 * ANSWER_MS, isOutage, isFinal: () => true, signal },
      });
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof AllEndpointsFailed)) throw error;
      throw new DutyDatabaseError("it does not answer", { transient: true });
    }
  }

  /** Checks the tables and which history the server tells. Called once, before anything else. */
  async open(signal?: AbortSignal): Promise<ServerAnswer> {
    const { rows } = await this.#query<{ version: number }>(READ_SCHEMA_VERSION, [], signal);
    const version = rows[0]?.version;
    if (version === undefined) {
      throw new DutyDatabaseError(
        "its tables have no schema version; run `svc migrate-ha-db up --database-url <url>` first",
      );
    }
    if (version < SCHEMA_VERSION) {
      const rule = `its schema version ${version} is outdated; run \`svc migrate-ha-db up --database-url <url>\` first`;
      throw new DutyDatabaseError(rule);
    }
    if (version > SCHEMA_VERSION) {
      throw new DutyDatabaseError(
        `its schema version ${version} is newer than ${SCHEMA_VERSION}, which this program knows`,
      );
    }
    try {
      const answer = await this.#look(WAL_HISTORY, NO_ROLLUP, undefined, signal);
      this.#history = WAL_HISTORY;
      return answer;
    } catch (error) {
      if (!(error instanceof DutyDatabaseError) || error.transient) throw error;
      return this.look(NO_ROLLUP, undefined, signal);
    }
  }

  /** Where the server is, and whether it has the witness. */
  look(rollup: string, witness: Witness | undefined, signal?: AbortSignal): Promise<ServerAnswer> {
    return this.#look(this.#history, rollup, witness, signal);
  }

  async #look(
    history: string,
    rollup: string,
    witness: Witness | undefined,
    signal: AbortSignal | undefined,
  ): Promise<ServerAnswer> {
    const { rows } = await this.#query<PositionColumns>(
      readPosition(history),
      [rollup, ...witnessValues(witness)],
      signal,
    );
    return answerOf(rows[0]);
  }

  /** The newest signed row above a slot. */
  async newestSigned(rollup: string, aboveSlot: number, signal?: AbortSignal): Promise<Witness | undefined> {
    const { rows } = await this.#query<{
      validator_address: string;
      slot: string;
      duty_type: DutyKind;
      block_index_within_checkpoint: number;
      version: string;
    }>(READ_WITNESS, [rollup, aboveSlot], signal);
    const [row] = rows;
    return (
      row && {
        validator: row.validator_address,
        slot: Number(row.slot),
        kind: row.duty_type,
        index: row.block_index_within_checkpoint,
        version: row.version,
      }
    );
  }

  /**
   * Inserts the duty or returns its row; undefined if the row was committed meanwhile, and the call must be repeated.
   */
  async insertOrGet(lock: Lock, witness: Witness | undefined, signal?: AbortSignal): Promise<DutyRow | undefined> {
    const { rollup, validator, duty, hash, nodeId, token } = lock;
    const { rows } = await this.#query<
      PositionColumns & {
        mine: boolean;
        status: "signing" | "signed";
        message_hash: string;
        node_id: string;
        version: string;
      }
    >(
      insertOrGet(this.#history),
      [
        rollup,
        validator,
        duty.slot,
        duty.blockNumber ?? 0,
        indexOf(duty),
        duty.kind,
        toHex(hash),
        nodeId,
        token,
        ...witnessValues(witness),
      ],
      signal,
    );
    const [row] = rows;
    return (
      row && {
        mine: row.mine,
        status: row.status,
        messageHash: row.message_hash,
        nodeId: row.node_id,
        version: row.version,
        ...answerOf(row),
      }
    );
  }

  /** The signed row; undefined if this node no longer holds the lock. May be repeated. */
  async markSigned(lock: Lock, signature: Uint8Array, signal?: AbortSignal): Promise<Witness | undefined> {
    const values = [toHex(signature), ...keyOf(lock), lock.token];
    const { rows } = await this.#query<{ version: string }>(MARK_SIGNED, values, signal);
    return rows.length === 0 ? undefined : witnessOf(lock, rows[0].version);
  }

  /** Deletes the duty if this node holds its lock and it is not signed. */
  async release(lock: Lock): Promise<void> {
    await this.#query(RELEASE_LOCK, [...keyOf(lock), lock.token]);
  }

  /** The following return the number of deleted rows. */
  async deleteStuck(nodeId: string, ageMs: number): Promise<number> {
    return (await this.#query(DELETE_STUCK, [nodeId, ageMs])).rowCount ?? 0;
  }

  async deleteOldSigned(ageMs: number): Promise<number> {
    return (await this.#query(DELETE_OLD_SIGNED, [ageMs])).rowCount ?? 0;
  }

  async deleteOtherRollups(rollup: string, ageMs: number): Promise<number> {
    return (await this.#query(DELETE_OTHER_ROLLUPS, [rollup, ageMs])).rowCount ?? 0;
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}
