import { Command } from "commander";
import { refuseAbsentParts } from "../../config/absent-parts.ts";
import { ConfigFileError } from "../../config/config-file.ts";
import { type Configuration, configure, shownValue } from "../../config/configuration.ts";
import { shownOrigin } from "../../config/errors.ts";
import { GROUPS } from "../../config/kinds/option.ts";
import { OPTION_KEYS, OPTIONS } from "../../config/options.ts";
import { OperatorError } from "../../errors/operator-error.ts";
import { checkStart } from "../../modes/start-checks.ts";
import { configureForNetwork } from "../../network/network-file.ts";
import { addTableOptions } from "../arguments/table-options.ts";
import { orUsageError } from "../arguments/usage-error.ts";

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

/** Prints every error of the options and of a start with them, not only the first. */
async function check(given: ReturnType<typeof addTableOptions>): Promise<void> {
  const errors: string[] = [];
  const note = (error: unknown): void => {
    if (!(error instanceof OperatorError)) throw error;
    const lines =
      error instanceof ConfigFileError ? error.faults.map((fault) => `${error.location} ${fault}`) : [error.message];
    for (const line of lines) if (!errors.includes(line)) errors.push(line);
  };
  try {
    const sources = given(process.env, note);
    const configuration = configure(sources, note);
    // Options with an error have their default, which a start must not be judged by.
    if (errors.length > 0) refuseAbsentParts(configuration);
    else for (const fault of (await checkStart(await configureForNetwork(sources, false))).faults) note(fault);
    for (const warning of configuration.warnings) process.stderr.write(`warning: ${warning}\n`);
  } catch (error) {
    note(error);
  }
  for (const error of errors) process.stdout.write(`error: ${error}\n`);
  process.stdout.write(
    errors.length === 0 ? "the configuration is valid\n" : `${errors.length} error${errors.length === 1 ? "" : "s"}\n`,
  );
  if (errors.length > 0) process.exitCode = 1;
}

export function configCommand(): Command {
  const command = new Command("config")
    .description("print the effective configuration and where each value came from, without secrets")
    .option("--json", "as a JSON object")
    .option(
      "--check",
      "print all errors with their origins instead, among them what svc start refuses; exit code 1 if there is one",
    );
  const given = addTableOptions(command);
  return command.action((options: { json?: true; check?: true }) =>
    orUsageError(async () => {
      if (options.check) return check(given);
      const configuration = await configureForNetwork(given(), false);
      refuseAbsentParts(configuration);
      for (const warning of configuration.warnings) process.stderr.write(`warning: ${warning}\n`);
      process.stdout.write(options.json ? asJson(configuration) : asText(configuration));
    }),
  );
}
