import { Command } from "commander";
import { dbCheckCommand } from "./db/check.ts";
import { dbStatsCommand } from "./db/stats.ts";

/** Tools for the databases of a data directory. */
export function dbCommand(): Command {
  return new Command("db")
    .description("look at the databases of a data directory")
    .addCommand(dbStatsCommand())
    .addCommand(dbCheckCommand());
}
