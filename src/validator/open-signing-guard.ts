import type { EndpointBook } from "../endpoints/endpoint-book.ts";
import type { L1Constants } from "../protocol/time.ts";
import type { Logger } from "../telemetry/logger.ts";
import { DatabaseContinuity, WITNESS_SECONDS } from "./signing/postgres/database-continuity.ts";
import { DatabaseWatch } from "./signing/postgres/database-watch.ts";
import { DutyCleanup } from "./signing/postgres/duty-cleanup.ts";
import { DutyDatabase, type PoolSettings } from "./signing/postgres/duty-database.ts";
import { HaSigningGuard } from "./signing/postgres/ha-signing-guard.ts";
import { Recording } from "./signing/recording.ts";
import { SignedDuties } from "./signing/signed-duties.ts";
import { prepareRequest, type SigningGuard, type SigningRequest } from "./signing/signing-guard.ts";
import { openSigningStore } from "./signing/signing-store.ts";
import { SigningWindow } from "./signing/signing-window.ts";

/**
 * Guard of a node without a database. A message is on disk before it is signed, so for each validator and duty one
 * message at most is ever signed by all processes that use the folder, one after the other or at the same time.
 *
 * The folder may be older than the last signature: a restored backup, a lost folder, a key that another program used
 * until now. So a slot that could have been signed for before this start is signed for only if the same message is on
 * record. This costs at most the slot in which the node starts and the one after. It holds if the clock is not behind
 * the clock of the earlier signer, and if no other program and no other folder is used with the keys any more.
 */
export class LocalSigningGuard implements SigningGuard {
  readonly #window: SigningWindow;
  readonly #recording: Recording;
  readonly #knownUpTo: number;

  /** `knownUpTo` is the newest slot that may have been signed for before this start. */
  constructor(window: SigningWindow, duties: SignedDuties, knownUpTo: number) {
    this.#window = window;
    this.#recording = new Recording(duties);
    this.#knownUpTo = knownUpTo;
  }

  async sign(request: SigningRequest, signal?: AbortSignal): Promise<Uint8Array> {
    signal?.throwIfAborted();
    const { validator, duty, hash, makeSignature } = prepareRequest(request);
    this.#window.check(validator, duty);
    await this.#recording.record({ validator, duty, hash, knownUpTo: this.#knownUpTo });
    return makeSignature(signal);
  }

  async close(): Promise<void> {}
}

/** The high-availability group that a node belongs to. */
export interface HaGroup {
  /** PostgreSQL URL; may contain a password. */
  readonly databaseUrl: string;
  /** Unique within the group. */
  readonly nodeId: string;
  readonly pollingIntervalMs: number;
  /** How long another node's signature is waited for. */
  readonly signingTimeoutMs: number;
  /** Age at which this node's locks without a signature are deleted; two slots if undefined. */
  readonly stuckAgeMs: number | undefined;
  /** Undefined: signed duties are never deleted. */
  readonly signedAgeHours: number | undefined;
  readonly pool: PoolSettings;
}

interface SigningGuardOptions {
  /** Folder of the store of signatures. */
  readonly folder: string;
  /** Lower-case 0x text. */
  readonly rollup: string;
  readonly times: Pick<L1Constants, "l1GenesisTime" | "slotDuration" | "ethereumSlotDuration">;
  /** Unix time in ms. */
  now(): number;
  readonly group: HaGroup | undefined;
  /** The health of the database, shared with metrics. */
  readonly endpoints?: EndpointBook;
  readonly logger: Logger;
}

/**
 * Opens the guard of a node; its `close` also closes the store and the connections to the database. Rejects with an
 * OperatorError: SigningStoreSchemaError, StoreCorruptedError, StoreFullError, or DutyDatabaseError if the database
 * does not answer or lacks the tables.
 */
export async function openSigningGuard(options: SigningGuardOptions, signal?: AbortSignal): Promise<SigningGuard> {
  const { folder, rollup, times, now, group, logger } = options;
  const store = openSigningStore(folder);
  try {
    const window = new SigningWindow(times, now);
    const duties = new SignedDuties(store, rollup);
    const guard =
      group === undefined
        ? new LocalSigningGuard(window, duties, mayBeSignedUpTo(window, duties, logger))
        : await openGroupGuard({ ...options, group }, { window, duties }, signal);
    logger.info(
      { folder, nodeId: group?.nodeId },
      group === undefined
        ? "signatures are recorded in {folder}"
        : "signatures are recorded in {folder} and coordinated through the database as {nodeId}",
    );
    return {
      sign: (request, abort) => guard.sign(request, abort),
      close: () => guard.close().finally(() => store.close()),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * The newest slot that may have been signed for before this moment. The record is ahead of the clock if the clock was
 * set back since.
 */
function mayBeSignedUpTo(window: SigningWindow, duties: SignedDuties, logger: Logger): number {
  const slot = Math.max(window.newestSlot(), duties.newestSlot());
  logger.info({ slot }, "duties are signed after slot {slot}: earlier ones may have been signed before this start");
  return slot;
}

async function openGroupGuard(
  { rollup, times, group, endpoints, logger }: SigningGuardOptions & { group: HaGroup },
  { window, duties }: { window: SigningWindow; duties: SignedDuties },
  signal: AbortSignal | undefined,
): Promise<SigningGuard> {
  const { databaseUrl, nodeId, pollingIntervalMs, signingTimeoutMs, signedAgeHours } = group;
  const newestSlot = () => window.newestSlot();
  const connectionFailed = (error: Error) => logger.warn({ rule: error.message }, "a peer connection ended: {rule}");
  const database = new DutyDatabase(databaseUrl, group.pool, connectionFailed, endpoints);
  const openContinuity = async (): Promise<DatabaseContinuity> => {
    const server = await database.open(signal);
    const slots = Math.ceil(WITNESS_SECONDS / times.slotDuration);
    const witness = await database.newestSigned(rollup, newestSlot() - slots, signal);
    // Taken after the first answer: only what is in the database by then can be known from it.
    const upTo = mayBeSignedUpTo(window, duties, logger);
    return new DatabaseContinuity(server, witness, upTo, { slots, logger });
  };
  const continuity = await openContinuity().catch(async (error) => {
    await database.close();
    throw error;
  });
  const stuckAgeMs = group.stuckAgeMs ?? 2 * times.slotDuration * 1000;
  const cleanup = new DutyCleanup(database, { rollup, nodeId, stuckAgeMs, signedAgeHours }, logger);
  const guard = new HaSigningGuard(
    { window, duties, continuity, database },
    { rollup, nodeId, pollingIntervalMs, signingTimeoutMs },
  );
  const watch = new DatabaseWatch(database, continuity, {
    rollup,
    intervalMs: times.ethereumSlotDuration * 1000,
    newestSlot,
  });
  return {
    sign: (request, abort) => guard.sign(request, abort),
    close: () => Promise.all([cleanup.stop(), watch.stop()]).then(() => guard.close()),
  };
}
