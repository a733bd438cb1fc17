import { homedir } from "node:os";
import { type Command, Option as CommandOption } from "commander";
import { type ConfigFile, ConfigFileError } from "../../config/config-file.ts";
import type { Given } from "../../config/configuration.ts";
import type { Option } from "../../config/kinds/option.ts";
import { OPTION_KEYS, OPTIONS, type OptionKey } from "../../config/options.ts";
import { flagUsage, helpNote } from "../../config/reference.ts";
import { RETIRED_FLAGS } from "../../config/retired-names.ts";
import { readConfigFile } from "./config-file.ts";
import { hideArguments } from "./hide-arguments.ts";
import { showTableHelp } from "./table-help.ts";

interface Flag {
  readonly name: string;
  readonly secret: boolean;
  readonly commandOption: CommandOption;
}

function flagsOf(key: OptionKey): Flag[] {
  const option = OPTIONS[key] as Option;
  return option.flags.map((name, i) => {
    const commandOption = new CommandOption(flagUsage(option, name), helpNote(option)).helpGroup(`${option.group}:`);
    if (i > 0) commandOption.hideHelp();
    return { name, secret: option.kind.secret === true, commandOption };
  });
}

/** Retired flags are accepted with and without a value, so that the configuration can report their replacement. */
function retiredFlags(): Flag[] {
  return RETIRED_FLAGS.map(({ name }) => ({
    name,
    secret: false,
    commandOption: new CommandOption(`${name} [value]`).hideHelp(),
  }));
}

function orItsRest(read: () => ConfigFile | undefined, failed?: (error: ConfigFileError) => void) {
  try {
    return read();
  } catch (error) {
    if (failed === undefined || !(error instanceof ConfigFileError)) throw error;
    failed(error);
    return error.rest;
  }
}

/**
 * Adds flags of the table of options to a command: all of them, or only the given ones. The returned function combines
 * the given flags with an environment and the configuration file; faults of the file are thrown, or given to `failed`.
 */
export function addTableOptions(
  command: Command,
  keys: readonly OptionKey[] = OPTION_KEYS,
): (environment?: NodeJS.ProcessEnv, failed?: (error: ConfigFileError) => void) => Given {
  const flags = [...keys.flatMap(flagsOf), ...(keys === OPTION_KEYS ? retiredFlags() : [])];
  for (const { commandOption } of flags) command.addOption(commandOption);
  command.addOption(new CommandOption("--config <file>", "configuration file in YAML (env SVC_CONFIG)"));
  if (keys === OPTION_KEYS) showTableHelp(command);
  return (environment = process.env, failed) => {
    const values = command.opts<Record<string, string | true>>();
    const file = orItsRest(() => readConfigFile(values.config ?? environment.SVC_CONFIG), failed);
    const given = new Map<string, string>();
    for (const { name, secret, commandOption } of flags) {
      const value = values[commandOption.attributeName()];
      if (value === undefined) continue;
      if (secret) hideArguments(command);
      given.set(name, String(value));
    }
    return { flags: given, environment, file, homeDirectory: homedir() };
  };
}
