import { setImmediate as nextTurn } from "node:timers/promises";
import {
  putIdentity,
  requireChain,
  SCHEMA_VERSION,
  type StoreIdentity,
  StoreSchemaError,
  storedIdentity,
} from "./identity.ts";
import type { Store } from "./store.ts";

/** What one transaction of a migration did. */
interface MigrationPart {
  /** Where the next part begins; undefined when nothing is left. */
  next?: Uint8Array;
  /** Share of the migration that is done, 0 to 1. */
  done: number;
}

/** Changes a store from a schema version to the next one. It must not use code that later versions may change. */
export interface Migration {
  readonly from: number;
  /** What changes; for the log. */
  readonly change: string;
  /**
   * Does a part, within a transaction that also records `next`: a killed migration goes on with the part that was not
   * committed. `cursor` is what the part before returned. Undefined if nothing changes but the version.
   */
  readonly part?: (store: Store, cursor: Uint8Array | undefined) => MigrationPart;
}

export interface MigrationReport {
  begin(migration: Migration): void;
  progress(migration: Migration, done: number): void;
  end(migration: Migration): void;
}

/** In the table of the identity: the version that is migrated u32, then the cursor. */
const CURSOR_KEY = Buffer.from("migration");

/**
 * Brings a store of an earlier schema version to this one, in transactions that each leave a state to go on from. Does
 * nothing with a new store, or one of this version. Throws StoreSchemaError for a newer version or one without a
 * migration, and StoreIdentityError for another chain's store, which is then left as it is; or the reason of `signal`.
 */
export async function migrateStore(
  store: Store,
  chain: Omit<StoreIdentity, "schemaVersion">,
  { migrations, report, signal }: { migrations: readonly Migration[]; report?: MigrationReport; signal?: AbortSignal },
): Promise<void> {
  for (;;) {
    const identity = storedIdentity(store);
    if (identity === undefined || identity.schemaVersion === SCHEMA_VERSION) return;
    const { schemaVersion: from } = identity;
    const migration = migrations.find((one) => one.from === from);
    if (migration === undefined) throw new StoreSchemaError(store.path, from);
    requireChain(store.path, identity, chain);
    report?.begin(migration);
    await run(store, identity, migration, { report, signal });
    report?.end(migration);
  }
}

async function run(
  store: Store,
  identity: StoreIdentity,
  migration: Migration,
  { report, signal }: { report: MigrationReport | undefined; signal: AbortSignal | undefined },
): Promise<void> {
  const table = store.table("identity");
  for (;;) {
    signal?.throwIfAborted();
    const { done, next } = store.transaction(() => {
      const part = migration.part?.(store, cursorOf(table.get(CURSOR_KEY), migration.from)) ?? { done: 1 };
      if (part.next !== undefined) table.put(CURSOR_KEY, cursorRow(migration.from, part.next));
      else {
        table.remove(CURSOR_KEY);
        putIdentity(store, { ...identity, schemaVersion: migration.from + 1 });
      }
      return part;
    });
    report?.progress(migration, done);
    if (next === undefined) return;
    // Signals are handled between two parts.
    await nextTurn();
  }
}

/** Whether a migration of the store has begun and not ended: its tables are of two versions. */
export function isMigrating(store: Store): boolean {
  return store.table("identity").has(CURSOR_KEY);
}

function cursorRow(from: number, cursor: Uint8Array): Buffer {
  const row = Buffer.alloc(4 + cursor.length);
  row.writeUInt32BE(from);
  row.set(cursor, 4);
  return row;
}

function cursorOf(row: Uint8Array | undefined, from: number): Uint8Array | undefined {
  if (row === undefined || Buffer.from(row).readUInt32BE() !== from) return undefined;
  return Uint8Array.from(row.subarray(4));
}
