import type { Command } from "commander";

/**
 * Overwrites the arguments of this process where other users can read them (ps, /proc/<pid>/cmdline) with the command's
 * name. They were visible until then, so the environment is the better place for a secret.
 */
export function hideArguments(command: Command): void {
  process.title = `svc ${command.name()}`;
}
