import { Command } from "commander";
import { url } from "../../config/kinds/url-kinds.ts";
import { orUsageError } from "../arguments/usage-error.ts";

interface Flags {
  databaseUrl?: string;
  verbose?: boolean;
}

const databaseUrl = url("postgresql", "postgres");

/** Tables of the database that nodes of a high-availability group share. */
export function migrateHaDbCommand(): Command {
  const command = new Command("migrate-ha-db").description("make or remove the tables of high-availability signing");
  for (const [direction, description] of [
    ["up", "apply all migrations that the database lacks"],
    ["down", "take back the last migration, with all records of what was signed"],
  ] as const) {
    command
      .command(direction)
      .description(description)
      .option("--database-url <url>", "PostgreSQL URL (env DATABASE_URL)")
      .option("--verbose", "print each statement")
      .action((flags: Flags) => orUsageError(() => run(direction, flags)));
  }
  return command;
}

async function run(direction: "up" | "down", flags: Flags): Promise<void> {
  const [{ migrate }, { ConfigurationError }] = await Promise.all([
    import("../../validator/signing/postgres/migrate.ts"),
    import("../../config/errors.ts"),
  ]);
  const given = flags.databaseUrl ?? process.env.DATABASE_URL ?? "";
  if (given === "") throw new ConfigurationError("--database-url (env DATABASE_URL) is required");
  const parsed = databaseUrl.parse(given);
  if (parsed === undefined) throw new ConfigurationError(`--database-url ${databaseUrl.rule}`);
  const log = flags.verbose ? (statement: string) => process.stderr.write(`${statement}\n`) : undefined;
  const names = await migrate(parsed, direction, log);
  const [done, nothing] =
    direction === "up"
      ? ["Applied migrations", "No migrations to apply - schema is up to date"]
      : ["Rolled back migrations", "No migrations to rollback"];
  process.stdout.write(names.length > 0 ? `${done}: ${names.join(", ")}\n` : `${nothing}\n`);
}
