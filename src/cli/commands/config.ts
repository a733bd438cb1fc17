import { Command } from "commander";
import { refuseAbsentParts } from "../../config/absent-parts.ts";
import { type Configuration, shownValue } from "../../config/configuration.ts";
import { shownOrigin } from "../../config/errors.ts";
import { GROUPS } from "../../config/option.ts";
import { OPTION_KEYS, OPTIONS } from "../../config/options.ts";
import { configureForNetwork } from "../../node/network-file.ts";
import { addTableOptions } from "../table-options.ts";
import { orUsageError } from "../usage-error.ts";

function asText({ values, origins }: Configuration): string {
  const width = Math.max(...OPTION_KEYS.map((key) => key.length));
  const sections = GROUPS.map((group) => {
    const keys = OPTION_KEYS.filter((key) => OPTIONS[key].group === group);
    const lines = keys.map(
      (key) => `${key.padEnd(width)}  ${shownValue(key, values) || "-"}  (${shownOrigin(origins[key])})`,
    );
    return [`${group}:`, ...lines].join("\n");
  });
  return `${sections.join("\n\n")}\n`;
}

function asJson({ values, origins }: Configuration): string {
  const entries = OPTION_KEYS.map((key) => [
    key,
    { value: shownValue(key, values), origin: shownOrigin(origins[key]) },
  ]);
  return `${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`;
}

export function configCommand(): Command {
  const command = new Command("config")
    .description("print the effective configuration and where each value came from, without secrets")
    .option("--json", "as a JSON object");
  const given = addTableOptions(command);
  return command.action((options: { json?: true }) =>
    orUsageError(async () => {
      const configuration = await configureForNetwork(given(), false);
      refuseAbsentParts(configuration);
      for (const warning of configuration.warnings) process.stderr.write(`warning: ${warning}\n`);
      process.stdout.write(options.json ? asJson(configuration) : asText(configuration));
    }),
  );
}
