import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { toHex } from "../../../protocol/bytes.ts";
import { Recording, shortHash } from "../recording.ts";
import type { SignedDuties } from "../signed-duties.ts";
import { prepareRequest, type SigningGuard, type SigningRequest } from "../signing-guard.ts";
import { type RefusalReason, SigningRefusedError } from "../signing-refused-error.ts";
import type { SigningWindow } from "../signing-window.ts";
import { DutyDatabaseError } from "./database-error.ts";
import type { DutyDatabase, DutyRow, Lock } from "./duty-database.ts";
import type { ServerHistories } from "./server-histories.ts";

export interface HaSigningSettings {
  /** Lower-case 0x text. */
  readonly rollup: string;
  readonly nodeId: string;
  readonly pollingIntervalMs: number;
  /** How long another node's signature is waited for. */
  readonly signingTimeoutMs: number;
}

interface HaSigningParts {
  readonly window: SigningWindow;
  readonly duties: SignedDuties;
  readonly histories: ServerHistories;
  readonly database: DutyDatabase;
}

interface Answer {
  readonly row: DutyRow;
  /** `ServerHistories.positions()` from before the statement was sent. */
  readonly before: ReadonlyMap<string, bigint>;
}

/** A failed statement is repeated after this long, and twice as long after each further failure, up to the maximum. */
const RETRY_MS = 50;
const MAX_RETRY_MS = 800;
/** How often an insert that met a row committed at the same moment is repeated at once. */
const RACE_TRIES = 4;
const RACE_STEP_MS = 10;

/**
 * Guard of a node in a high-availability group. The nodes share validator keys and a table in PostgreSQL with one row
 * for each duty. The node that inserts the row signs; it returns the signature only after the row says so, and only
 * while the row is still its own. The node's own record on disk is kept as well, so that a database that lost rows
 * cannot make this node sign twice; ServerHistories keeps it from signing what another node may have signed there.
 *
 * While the database is away a duty waits for it as long as its slot lasts, and at least for the timeout.
 */
export class HaSigningGuard implements SigningGuard {
  readonly #parts: HaSigningParts;
  readonly #settings: HaSigningSettings;
  readonly #recording: Recording;
  #closed = false;

  constructor(parts: HaSigningParts, settings: HaSigningSettings) {
    this.#parts = parts;
    this.#settings = settings;
    this.#recording = new Recording(parts.duties);
  }

  async sign(request: SigningRequest, signal?: AbortSignal): Promise<Uint8Array> {
    signal?.throwIfAborted();
    const prepared = prepareRequest(request);
    const { validator, duty, hash } = prepared;
    this.#parts.window.check(validator, duty);
    const { rollup, nodeId, signingTimeoutMs } = this.#settings;
    const lock: Lock = { rollup, validator, duty, hash, nodeId, token: randomBytes(16).toString("hex") };
    const databaseBy = performance.now() + Math.max(signingTimeoutMs, this.#parts.window.msLeft(duty));
    let mayHoldLock = true;
    try {
      const answer = await this.#acquire(lock, databaseBy, signal);
      mayHoldLock = answer.row.mine;
      if (!answer.row.mine) throw takenBy(lock, answer.row);
      await this.#record(lock, answer);
      const signature = await prepared.makeSignature(signal);
      await this.#markSigned(lock, signature, databaseBy, signal);
      return signature;
    } catch (error) {
      // Lets another node sign at once. A lock that stays because this fails is deleted when it is old.
      if (mayHoldLock) this.#parts.database.release(lock).catch(() => {});
      throw error;
    }
  }

  /** The row with this request's lock, or the row of another request that has signed or did not sign in time. */
  async #acquire(lock: Lock, databaseBy: number, signal: AbortSignal | undefined): Promise<Answer> {
    const { pollingIntervalMs, signingTimeoutMs } = this.#settings;
    let otherBy: number | undefined;
    for (;;) {
      const answer = await this.#whenBack(lock, databaseBy, signal, () => this.#insertOrGet(lock, signal));
      if (answer.row.mine || answer.row.status === "signed") return answer;
      otherBy ??= performance.now() + signingTimeoutMs;
      if (performance.now() >= otherBy) return answer;
      await pause(pollingIntervalMs, signal);
    }
  }

  /**
   * Repeats `work` while it fails because the database is away. Rejects with a SigningRefusedError if it stays away.
   */
  async #whenBack<T>(
    lock: Lock,
    databaseBy: number,
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    for (let pauseMs = RETRY_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_RETRY_MS)) {
      const inTime = performance.now() < databaseBy;
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof DutyDatabaseError)) throw error;
        if (!error.transient || !inTime || this.#closed) throw refused(lock, "database", error.message, error);
      }
      await pause(pauseMs, signal);
    }
  }

  async #insertOrGet(lock: Lock, signal: AbortSignal | undefined): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      const before = this.#parts.histories.positions();
      const row = await this.#parts.database.insertOrGet(lock, signal);
      if (row !== undefined) return { row, before };
      if (tries === RACE_TRIES) throw new DutyDatabaseError("it did not return the duty's row", { transient: true });
      await pause(tries * RACE_STEP_MS, signal);
    }
  }

  /** Puts the message on disk, unless the database may lack what another node signed. */
  async #record({ validator, duty, hash }: Lock, { row, before }: Answer): Promise<void> {
    const { histories, window } = this.#parts;
    const knownUpTo = histories.note(row.history, row.position, before, window.newestSlot());
    await this.#recording.record({ validator, duty, hash, knownUpTo });
  }

  async #markSigned(
    lock: Lock,
    signature: Uint8Array,
    databaseBy: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const mark = () => this.#parts.database.markSigned(lock, signature, signal);
    if (await this.#whenBack(lock, databaseBy, signal, mark)) return;
    throw refused(lock, "lock lost", "the lock was deleted while the signature was made");
  }

  /** Requests that wait for the database are refused. */
  close(): Promise<void> {
    this.#closed = true;
    return this.#parts.database.close();
  }
}

/** Refusal of a duty whose row belongs to another request, of this node or of another one. */
function takenBy(lock: Lock, { status, nodeId, messageHash }: DutyRow): SigningRefusedError {
  if (status === "signing") return refused(lock, "signed elsewhere", `${nodeId} holds its lock`);
  if (messageHash === toHex(lock.hash)) return refused(lock, "signed elsewhere", `${nodeId} has signed it`);
  const rule = `${nodeId} signed another message, ${messageHash.slice(0, 10)}.. and not ${shortHash(lock.hash)}..`;
  return refused(lock, "other message", rule);
}

/** Rejects with the signal's reason when it is aborted. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, { signal }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
}

function refused({ validator, duty }: Lock, reason: RefusalReason, rule: string, cause?: unknown): SigningRefusedError {
  return new SigningRefusedError(validator, duty, reason, rule, { cause });
}
