import { Client } from "pg";
import { DutyDatabaseError, databaseError } from "./database-error.ts";
import { SCHEMA_DOWN, SCHEMA_UP } from "./statements.ts";

interface Migration {
  readonly name: string;
  readonly up: readonly string[];
  readonly down: readonly string[];
}

/** In order. Names are those of the reference, so that either program may go on where the other was. */
const MIGRATIONS: readonly Migration[] = [{ name: "1_initial-schema", up: SCHEMA_UP, down: SCHEMA_DOWN }];

/** Advisory lock of node-pg-migrate, which the reference migrates with. */
const MIGRATION_LOCK = "7241865325823964";
/** Table of node-pg-migrate. */
const CREATE_LIST = `CREATE TABLE IF NOT EXISTS public.pgmigrations (
  id SERIAL PRIMARY KEY,
  name varchar(255) NOT NULL,
  run_on timestamp NOT NULL
)`;
const CONNECT_MS = 10_000;

/**
 * Applies all migrations that the database lacks, or takes back the last one. Returns their names. Throws a
 * DutyDatabaseError; then nothing has changed.
 */
export async function migrate(
  url: string,
  direction: "up" | "down",
  log: (statement: string) => void = () => {},
): Promise<string[]> {
  let client: Client;
  try {
    client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS, application_name: "svc" });
    // A connection that ends also rejects the statement in flight, which is what the caller hears.
    client.on("error", () => {});
    await client.connect();
  } catch (cause) {
    throw databaseError(cause, url);
  }
  const run = async (text: string, values?: unknown[]): Promise<Record<string, unknown>[]> => {
    log(text);
    return (await client.query(text, values)).rows;
  };
  try {
    const [{ locked }] = await run(`SELECT pg_try_advisory_lock(${MIGRATION_LOCK}) AS locked`);
    if (locked !== true) throw new DutyDatabaseError("another migration is running");
    await run("BEGIN");
    await run(CREATE_LIST);
    const applied = (await run("SELECT name FROM public.pgmigrations ORDER BY run_on, id")).map(({ name }) =>
      String(name),
    );
    const names = direction === "up" ? await migrateUp(applied, run) : await migrateDown(applied, run);
    await run("COMMIT");
    return names;
  } catch (cause) {
    throw databaseError(cause, url);
  } finally {
    // Ends the transaction, if there is one, and frees the lock.
    await client.end().catch(() => {});
  }
}

type Run = (text: string, values?: unknown[]) => Promise<unknown>;

async function migrateUp(applied: readonly string[], run: Run): Promise<string[]> {
  applied.slice(0, MIGRATIONS.length).forEach((name, i) => {
    if (name === MIGRATIONS[i].name) return;
    throw new DutyDatabaseError(
      `its migration ${i + 1} is ${name}, not ${MIGRATIONS[i].name}: it is of another program`,
    );
  });
  const missing = MIGRATIONS.slice(applied.length);
  for (const { name, up } of missing) {
    for (const statement of up) await run(statement);
    await run("INSERT INTO public.pgmigrations (name, run_on) VALUES ($1, NOW())", [name]);
  }
  return missing.map(({ name }) => name);
}

async function migrateDown(applied: readonly string[], run: Run): Promise<string[]> {
  const last = applied.at(-1);
  if (last === undefined) return [];
  const migration = MIGRATIONS.find(({ name }) => name === last);
  if (migration === undefined) throw new DutyDatabaseError(`its last migration ${last} is not known to this program`);
  for (const statement of migration.down) await run(statement);
  await run("DELETE FROM public.pgmigrations WHERE name = $1", [last]);
  return [last];
}
