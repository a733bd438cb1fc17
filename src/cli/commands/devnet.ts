import { Command } from "commander";
import type { ControlRequest } from "../../devnet/control.ts";
import type { DevnetFlags } from "../../devnet/plan.ts";
import { orUsageError } from "../arguments/usage-error.ts";

const DIRECTORY = ["--data-directory <path>", "folder of the network (default: ~/.svc/devnet)"] as const;

/** A command to the running network of a folder. */
function controlCommand(action: ControlRequest["action"], description: string, argument: string): Command {
  const command = new Command(action).description(description);
  if (argument !== "") command.argument(argument, "a name of the table that svc devnet status prints");
  return command.action((...given: unknown[]) =>
    orUsageError(async () => {
      const name = argument === "" ? undefined : (given[0] as string | undefined);
      const flags = command.optsWithGlobals<DevnetFlags & { json?: true }>();
      const { askRunning } = await import("../devnet/ask-running.ts");
      await askRunning({ action, name }, flags);
    }),
  );
}

export function devnetCommand(): Command {
  const command = new Command("devnet")
    .description("run a whole network on this machine: L1, contracts, bootnode, validators and more, a process each")
    .option("--validators <n>", "nodes with one validator each (default: 4)")
    .option("--leave <n>", "further validators, whose nodes you start yourself (default: 0)")
    .option("--prover", "prove epochs, with simulated proofs: a prover node, a broker and an agent")
    .option("--followers <n>", "nodes that follow the first two validators (default: 0)")
    .option("--behind-haproxy", "HAProxy in front of the first validator and the followers, or of all validators")
    .option("--fast", "slots of 8 s and epochs of 4, instead of those of the public networks")
    .option("--base-port <n>", "first of the ports in a row that the nodes take (default: free ones)")
    .option(...DIRECTORY);
  command
    .addCommand(
      controlCommand("status", "print the nodes of a running network", "").option("--json", "print them as JSON"),
    )
    .addCommand(controlCommand("stop", "stop a node, or without a name the network", "[name]"))
    .addCommand(controlCommand("kill", "kill a node, as a crash does", "<name>"))
    .addCommand(controlCommand("restart", "stop a node if it runs, and start it", "<name>"));
  return command.action((flags: DevnetFlags) =>
    orUsageError(async () => {
      const { runDevnet } = await import("../../devnet/run-devnet.ts");
      await runDevnet(flags, [...process.execArgv, process.argv[1]]);
    }),
  );
}
