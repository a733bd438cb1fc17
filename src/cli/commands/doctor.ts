import { Command } from "commander";
import { configureForNetwork } from "../../network/network-file.ts";
import { addTableOptions } from "../arguments/table-options.ts";
import { orUsageError } from "../arguments/usage-error.ts";

export function doctorCommand(): Command {
  const command = new Command("doctor")
    .description(
      "examine what svc start would find with the same flags: L1, blobs, clock, disk, ports, keys, database, proofs; " +
        "exit code 1 if something fails",
    )
    .option("--json", "as a JSON object");
  const given = addTableOptions(command);
  return command.action((options: { json?: true }) =>
    orUsageError(async () => {
      const configuration = await configureForNetwork(given(), false);
      const { runDoctor } = await import("../doctor/run-doctor.ts");
      await runDoctor(configuration, options.json === true);
    }),
  );
}
