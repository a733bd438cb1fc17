import { Command } from "commander";
import { shownValue } from "../../config/configuration.ts";
import type { Origin } from "../../config/errors.ts";
import { OPTION_KEYS } from "../../config/options.ts";
import { addTableOptions } from "../table-options.ts";
import { orUsageError } from "../usage-error.ts";

function shownOrigin(origin: Origin): string {
  return origin.kind === "default" ? "default" : `${origin.kind} ${origin.name}`;
}

export function configCommand(): Command {
  const command = new Command("config")
    .description("print the effective configuration and where each value came from, without secrets")
    .option("--json", "as a JSON object");
  const read = addTableOptions(command);
  return command.action((options: { json?: true }) =>
    orUsageError(() => {
      const { values, origins } = read();
      const rows = OPTION_KEYS.map((key) => ({
        key,
        value: shownValue(key, values),
        origin: shownOrigin(origins[key]),
      }));
      if (options.json) {
        const entries = rows.map(({ key, value, origin }) => [key, { value, origin }]);
        process.stdout.write(`${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`);
        return;
      }
      const width = Math.max(...rows.map(({ key }) => key.length));
      for (const { key, value, origin } of rows) {
        process.stdout.write(`${key.padEnd(width)}  ${value === "" ? "-" : value}  (${origin})\n`);
      }
    }),
  );
}
