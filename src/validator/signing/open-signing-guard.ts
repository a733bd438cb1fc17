import type { L1Constants } from "../../protocol/time.ts";
import type { Store } from "../../storage/store.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { LocalSigningGuard } from "./local-signing-guard.ts";
import { DutyCleanup } from "./postgres/duty-cleanup.ts";
import { DutyDatabase, type PoolSettings } from "./postgres/duty-database.ts";
import { HaSigningGuard } from "./postgres/ha-signing-guard.ts";
import { ServerHistories } from "./postgres/server-histories.ts";
import { SignedDuties } from "./signed-duties.ts";
import type { SigningGuard } from "./signing-guard.ts";
import { openSigningStore } from "./signing-store.ts";
import { SigningWindow } from "./signing-window.ts";

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

export interface SigningGuardOptions {
  /** Folder of the store of signatures. */
  readonly folder: string;
  /** Lower-case 0x text. */
  readonly rollup: string;
  readonly times: Pick<L1Constants, "l1GenesisTime" | "slotDuration" | "ethereumSlotDuration">;
  /** Unix time in ms. */
  now(): number;
  readonly group: HaGroup | undefined;
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
        ? new LocalSigningGuard(window, duties)
        : await openGroupGuard({ ...options, group }, { store, window, duties }, signal);
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

async function openGroupGuard(
  { rollup, times, group, logger }: SigningGuardOptions & { group: HaGroup },
  { store, window, duties }: { store: Store; window: SigningWindow; duties: SignedDuties },
  signal: AbortSignal | undefined,
): Promise<SigningGuard> {
  const { databaseUrl, nodeId, pollingIntervalMs, signingTimeoutMs, signedAgeHours } = group;
  const database = new DutyDatabase(databaseUrl, group.pool, (error) =>
    logger.warn({ rule: error.message }, "a connection ended: {rule}"),
  );
  const histories = new ServerHistories(store, logger);
  try {
    const { history, position } = await database.open(signal);
    histories.note(history, position, histories.positions(), window.newestSlot());
  } catch (error) {
    await database.close();
    throw error;
  }
  const stuckAgeMs = group.stuckAgeMs ?? 2 * times.slotDuration * 1000;
  const cleanup = new DutyCleanup(database, { rollup, nodeId, stuckAgeMs, signedAgeHours }, logger);
  const guard = new HaSigningGuard(
    { window, duties, histories, database },
    { rollup, nodeId, pollingIntervalMs, signingTimeoutMs },
  );
  return {
    sign: (request, abort) => guard.sign(request, abort),
    close: () => cleanup.stop().then(() => guard.close()),
  };
}
