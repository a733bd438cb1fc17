import { type Command, Option as CommandOption } from "commander";
import { type Configuration, configure } from "../config/configuration.ts";
import type { Option } from "../config/option.ts";
import { OPTION_KEYS, OPTIONS, type OptionKey } from "../config/options.ts";
import { environmentHelp, helpNote } from "../config/reference.ts";

interface Flag {
  readonly name: string;
  readonly commandOption: CommandOption;
}

function flagsOf(key: OptionKey): Flag[] {
  const option = OPTIONS[key] as Option;
  const { placeholder, bare } = option.kind;
  return option.flags.map((name, i) => {
    const value = placeholder === undefined ? "" : bare === undefined ? ` <${placeholder}>` : ` [${placeholder}]`;
    const commandOption = new CommandOption(`${name}${value}`, helpNote(option)).helpGroup(`${option.group}:`);
    if (i > 0) commandOption.hideHelp();
    return { name, commandOption };
  });
}

/** Adds flags of the table of options to a command; the returned function reads what was given, with an environment. */
export function addTableOptions(
  command: Command,
  keys: readonly OptionKey[] = OPTION_KEYS,
): (environment?: NodeJS.ProcessEnv) => Configuration {
  const flags = keys.flatMap(flagsOf);
  for (const { commandOption } of flags) command.addOption(commandOption);
  if (keys === OPTION_KEYS) command.addHelpText("after", () => `\n${environmentHelp()}`);
  return (environment = process.env) => {
    const values = command.opts<Record<string, string | true>>();
    const given = new Map<string, string>();
    for (const { name, commandOption } of flags) {
      const value = values[commandOption.attributeName()];
      if (value !== undefined) given.set(name, String(value));
    }
    return configure({ flags: given, environment });
  };
}
