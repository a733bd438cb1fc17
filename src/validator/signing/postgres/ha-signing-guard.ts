import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { fromHex, toHex } from "../../../protocol/bytes.ts";
import type { Duty } from "../duty.ts";
import { Recording, shortHash, unknownPast } from "../recording.ts";
import type { SignedDuties } from "../signed-duties.ts";
import { prepareRequest, type SigningGuard, type SigningRequest } from "../signing-guard.ts";
import { type RefusalReason, SigningRefusedError } from "../signing-refused-error.ts";
import type { SigningWindow } from "../signing-window.ts";
import type { DatabaseContinuity } from "./database-continuity.ts";
import { DutyDatabaseError } from "./database-error.ts";
import { type DutyDatabase, type DutyRow, type Lock, witnessOf } from "./duty-database.ts";

interface HaSigningSettings {
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
  readonly continuity: DatabaseContinuity;
  readonly database: DutyDatabase;
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
 * while the row is still its own. The record on disk is kept as well, also of what other nodes signed, so that a
 * database that lost rows cannot make this node sign another message. DatabaseContinuity keeps it from signing for
 * slots whose rows may be lost, among them every slot that may have been signed for before this start. That counts even
 * if the message is on record: another node may have signed another one, if this signature never left.
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
    // Before the row is inserted: while this node cannot sign, another one may.
    this.#checkKnown(validator, duty);
    const { rollup, nodeId, signingTimeoutMs } = this.#settings;
    const lock: Lock = { rollup, validator, duty, hash, nodeId, token: randomBytes(16).toString("hex") };
    const databaseBy = performance.now() + Math.max(signingTimeoutMs, this.#parts.window.msLeft(duty));
    let mayHoldLock = true;
    try {
      const row = await this.#acquire(lock, databaseBy, signal);
      mayHoldLock = row.mine;
      if (!row.mine) {
        if (row.status === "signed") await this.#recordOther(lock, row);
        throw takenBy(lock, row);
      }
      this.#checkKnown(validator, duty);
      await this.#recording.record({ validator, duty, hash, knownUpTo: this.#parts.continuity.upTo });
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
  async #acquire(lock: Lock, databaseBy: number, signal: AbortSignal | undefined): Promise<DutyRow> {
    const { pollingIntervalMs, signingTimeoutMs } = this.#settings;
    let otherBy: number | undefined;
    for (;;) {
      const row = await this.#whenBack(lock, databaseBy, signal, () => this.#insertOrGet(lock, signal));
      if (row.mine || row.status === "signed") return row;
      otherBy ??= performance.now() + signingTimeoutMs;
      if (performance.now() >= otherBy) return row;
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

  async #insertOrGet(lock: Lock, signal: AbortSignal | undefined): Promise<DutyRow> {
    const { continuity, database, window } = this.#parts;
    for (let tries = 1; ; tries++) {
      const before = continuity.known(window.newestSlot());
      const row = await database.insertOrGet(lock, before.witness, signal);
      if (row !== undefined) {
        continuity.note(row, before, window.newestSlot());
        return row;
      }
      if (tries === RACE_TRIES) throw new DutyDatabaseError("it did not return the duty's row", { transient: true });
      await pause(tries * RACE_STEP_MS, signal);
    }
  }

  /** Throws a SigningRefusedError if the database may lack what another node signed in the slot. */
  #checkKnown(validator: string, duty: Duty): void {
    const { upTo } = this.#parts.continuity;
    if (duty.slot <= upTo) throw unknownPast(validator, duty, upTo);
  }

  /** Puts the message that another request signed on disk, so that this node never signs another one. */
  async #recordOther(lock: Lock, { messageHash, version }: DutyRow): Promise<void> {
    this.#parts.continuity.saw(witnessOf(lock, version));
    if (!/^0x[0-9a-f]{64}$/i.test(messageHash)) return;
    const { validator, duty } = lock;
    try {
      await this.#recording.record({ validator, duty, hash: fromHex(messageHash), knownUpTo: -1 });
    } catch (error) {
      // The duty is refused in any case: the record has another message, or is full.
      if (!(error instanceof SigningRefusedError)) throw error;
    }
  }

  async #markSigned(
    lock: Lock,
    signature: Uint8Array,
    databaseBy: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const mark = () => this.#parts.database.markSigned(lock, signature, signal);
    const witness = await this.#whenBack(lock, databaseBy, signal, mark);
    if (witness === undefined) throw refused(lock, "lock lost", "the lock was deleted while the signature was made");
    this.#parts.continuity.saw(witness);
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
