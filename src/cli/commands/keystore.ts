import { Command } from "commander";
import { orUsageError } from "../arguments/usage-error.ts";

/** Tools for the keystore of a node. */
export function keystoreCommand(): Command {
  return new Command("keystore").description("look at a node's keystore").addCommand(
    new Command("check")
      .description(
        "load a keystore as a node does, with its encrypted files and remote signers, and print what each validator " +
          "uses; exit code 1 if there is a problem",
      )
      .argument("[path]", "keystore file or folder (env KEY_STORE_DIRECTORY)")
      .option("--json", "print the result as JSON")
      .action((path: string | undefined, flags: { json?: boolean }) =>
        orUsageError(async () => {
          const { runCheck } = await import("../keystore/run-check.ts");
          await runCheck(path, flags);
        }),
      ),
  );
}
