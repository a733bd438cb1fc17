import { Command } from "commander";
import { addTableOptions } from "../../src/cli/arguments/table-options.ts";
import { refuseAbsentParts } from "../../src/config/absent-parts.ts";
import { type Configuration, configure } from "../../src/config/configuration.ts";
import { OPTION_KEYS, OPTIONS } from "../../src/config/options.ts";
import { selectedMode } from "../../src/modes/modes.ts";

const VARIABLES: ReadonlySet<string> = new Set(OPTION_KEYS.flatMap((key) => [...OPTIONS[key].env]));
/** Variables of an environment that are none of the table's. */
const OTHERS: ReadonlySet<string> = new Set(["NODE_ENV", "SVC_CONFIG", "MALLOC_MMAP_THRESHOLD_"]);

/**
 * What `svc <args>` would start with, where `args` begin with `start`. Throws for a flag, variable or value that the
 * table of options does not have, and for a combination of them that starts nothing.
 */
export function startedConfiguration(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Configuration & { mode: string } {
  const [name, ...flags] = args;
  if (name !== "start") throw new Error(`${args.join(" ")} does not start a node`);
  const unknown = Object.keys(environment).filter((variable) => !VARIABLES.has(variable) && !OTHERS.has(variable));
  if (unknown.length > 0) throw new Error(`no option has the variable ${unknown.join(", ")}`);
  const command = new Command(name).exitOverride().configureOutput({ writeErr() {} });
  const given = addTableOptions(command);
  command.parse(flags, { from: "user" });
  const { SVC_CONFIG: _, ...variables } = environment;
  const configuration = configure(given(variables));
  refuseAbsentParts(configuration);
  return { ...configuration, mode: selectedMode(configuration.values).name };
}
