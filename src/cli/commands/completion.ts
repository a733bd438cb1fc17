import { Argument, Command } from "commander";
import { commandWords } from "../completion/command-words.ts";
import { completionScript, SHELLS, type Shell } from "../completion/scripts.ts";

/** `root` is the command whose commands and flags are completed. */
export function completionCommand(root: Command): Command {
  return new Command("completion")
    .description("print a script that completes commands and flags in a shell")
    .addArgument(new Argument("<shell>").choices(SHELLS))
    .action((shell: Shell) => {
      process.stdout.write(completionScript(shell, commandWords(root)));
    });
}
