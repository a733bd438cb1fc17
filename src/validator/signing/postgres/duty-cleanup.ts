import type { Logger } from "../../../telemetry/logger.ts";
import { DutyDatabaseError } from "./database-error.ts";
import type { DutyDatabase } from "./duty-database.ts";

const HOUR_MS = 3_600_000;
/**
 * Rows of other rollups are deleted at this age. They are those of rollups before an upgrade; younger ones may belong
 * to a group of another network in the same database, whose nodes still need them.
 */
const OTHER_ROLLUP_MS = 24 * HOUR_MS;

interface CleanupSettings {
  /** Lower-case 0x text. */
  readonly rollup: string;
  readonly nodeId: string;
  /** Age at which this node's locks without a signature are deleted; also the time between two runs. */
  readonly stuckAgeMs: number;
  /** Undefined: signed duties are never deleted. */
  readonly signedAgeHours: number | undefined;
}

/**
 * Deletes old rows of the shared table, at the start and then again and again. A failure is logged and ends nothing.
 */
export class DutyCleanup {
  readonly #database: Pick<DutyDatabase, "deleteStuck" | "deleteOldSigned" | "deleteOtherRollups">;
  readonly #settings: CleanupSettings;
  readonly #logger: Logger;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void>;
  #stopped = false;
  #signedCleanedAt = Number.NEGATIVE_INFINITY;

  constructor(
    database: Pick<DutyDatabase, "deleteStuck" | "deleteOldSigned" | "deleteOtherRollups">,
    settings: CleanupSettings,
    logger: Logger,
  ) {
    this.#database = database;
    this.#settings = settings;
    this.#logger = logger;
    this.#running = this.#attempt(async () => {
      const rows = await database.deleteOtherRollups(settings.rollup, OTHER_ROLLUP_MS);
      if (rows > 0) logger.info({ rows }, "{rows} duties of other rollups were deleted from the database");
      await this.#run();
    });
  }

  async #run(): Promise<void> {
    const { nodeId, stuckAgeMs, signedAgeHours } = this.#settings;
    const stuck = await this.#database.deleteStuck(nodeId, stuckAgeMs);
    if (stuck > 0) this.#logger.info({ rows: stuck }, "{rows} locks of this node without a signature were deleted");
    if (signedAgeHours === undefined) return;
    const ageMs = signedAgeHours * HOUR_MS;
    if (performance.now() - this.#signedCleanedAt < ageMs) return;
    const old = await this.#database.deleteOldSigned(ageMs);
    this.#signedCleanedAt = performance.now();
    if (old > 0) this.#logger.debug({ rows: old }, "{rows} old signed duties were deleted from the database");
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof DutyDatabaseError)) throw error;
      this.#logger.warn({ rule: error.message }, "old duties were not deleted: {rule}");
    }
    if (this.#stopped) return;
    this.#timer = setTimeout(
      () => {
        this.#running = this.#attempt(() => this.#run());
      },
      Math.max(this.#settings.stuckAgeMs, MIN_PAUSE_MS),
    );
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }
}

/** An age of 0 is allowed; the database is not asked without pause. */
const MIN_PAUSE_MS = 1000;
