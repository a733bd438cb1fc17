import { Command } from "commander";
import { configure } from "../../config/configuration.ts";
import { addTableOptions } from "../arguments/table-options.ts";
import { orUsageError } from "../arguments/usage-error.ts";
import { demoEnvironment } from "../demo/settings.ts";

export function demoCommand(): Command {
  const command = new Command("demo").description(
    "run a node on a recorded chain: starts a local L1 with the recording, syncs, answers JSON-RPC until Ctrl-C",
  );
  const given = addTableOptions(command, ["port", "adminPort", "rpcHost", "adminHost"]);
  return command.action(() =>
    orUsageError(async () => {
      const { values } = configure(given(demoEnvironment(process.env)));
      const { runDemo } = await import("../demo/run-demo.ts");
      await runDemo(values);
    }),
  );
}
