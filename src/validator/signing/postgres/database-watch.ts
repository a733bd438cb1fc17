import type { DatabaseContinuity } from "./database-continuity.ts";
import { DutyDatabaseError } from "./database-error.ts";
import type { DutyDatabase } from "./duty-database.ts";

interface WatchSettings {
  /** Lower-case 0x text. */
  readonly rollup: string;
  readonly intervalMs: number;
  /** The newest slot that any node can have signed for now. */
  newestSlot(): number;
}

/**
 * Looks at the database again and again, so that a database that was started again costs the slots of that time and not
 * those of the next duty, however late that is. Failures are left to the duties, which say them.
 */
export class DatabaseWatch {
  readonly #database: Pick<DutyDatabase, "look">;
  readonly #continuity: DatabaseContinuity;
  readonly #settings: WatchSettings;
  #timer: NodeJS.Timeout | undefined;
  #running = Promise.resolve();
  #stopped = false;

  constructor(database: Pick<DutyDatabase, "look">, continuity: DatabaseContinuity, settings: WatchSettings) {
    this.#database = database;
    this.#continuity = continuity;
    this.#settings = settings;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#running = this.#look().finally(() => this.#schedule());
    }, this.#settings.intervalMs);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const { rollup, newestSlot } = this.#settings;
    const before = this.#continuity.known(newestSlot());
    try {
      this.#continuity.note(await this.#database.look(rollup, before.witness), before, newestSlot());
    } catch (error) {
      if (!(error instanceof DutyDatabaseError)) throw error;
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }
}
