import { availableParallelism } from "node:os";
import { Command } from "commander";
import { configure } from "../../config/configuration.ts";
import type { OptionKey } from "../../config/options.ts";
import { partValues } from "../../config/part-values.ts";
import { addTableOptions } from "../arguments/table-options.ts";
import { orUsageError } from "../arguments/usage-error.ts";

/** Flags; all other options can be given as environment variables or in a configuration file. */
const KEYS: readonly OptionKey[] = [
  "proverNodeFailedEpochStore",
  "dataDirectory",
  "realProofs",
  "proverAgentCount",
  "proverBrokerUrl",
  "proverBrokerApiKey",
  "proofStore",
];

export function proveFailedEpochCommand(): Command {
  const command = new Command("prove-failed-epoch")
    .description(
      "prove an epoch again that a prover node could not prove and uploaded to PROVER_NODE_FAILED_EPOCH_STORE; the proof " +
        "is not submitted. Prints a JSON object; exit code 1 if the epoch fails again",
    )
    .argument("<folder>", "of the epoch in that store, as the prover node logged it");
  const given = addTableOptions(command, KEYS);
  return command.action((folder: string) =>
    orUsageError(async () => {
      const { values } = configure(given());
      const { loggingOf } = await import("../../process/logging/process-logging.ts");
      const { runFailedEpoch } = await import("../../node/prover/failed-epochs/run-again.ts");
      const { FailedEpochError } = await import("../../node/prover/failed-epochs/failed-epoch.ts");
      const stopping = new AbortController();
      for (const name of ["SIGINT", "SIGTERM"] as const) {
        process.once(name, () => stopping.abort(new FailedEpochError(`is not proven: ${name} ended the program`)));
      }
      const parts = { loggerFor: loggingOf(values), threads: availableParallelism(), signal: stopping.signal };
      const proven = await runFailedEpoch(folder, partValues(values), parts);
      process.stdout.write(`${JSON.stringify(proven, undefined, 2)}\n`);
    }),
  );
}
