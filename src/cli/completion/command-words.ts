import type { Command } from "commander";

/** What may follow a command on the command line. */
export interface CommandWords {
  /** The command with those above it, as typed: `svc db check`. */
  readonly path: string;
  readonly subcommands: readonly string[];
  /** Long flags, with those that the help does not show. */
  readonly flags: readonly string[];
}

/** The words of a command and of all below it, aliases as commands of their own. */
export function commandWords(command: Command, path = command.name()): CommandWords[] {
  const { commands, options } = command;
  const flags = options.flatMap(({ long }) => (typeof long === "string" ? [long] : []));
  const below = commands.flatMap((sub) => [sub.name(), ...sub.aliases()].map((name) => ({ sub, name })));
  return [
    { path, subcommands: below.map(({ name }) => name), flags: [...flags, "--help"] },
    ...below.flatMap(({ sub, name }) => commandWords(sub, `${path} ${name}`)),
  ];
}
