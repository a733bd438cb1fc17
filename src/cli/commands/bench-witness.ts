import { resolve } from "node:path";
import { Command } from "commander";
import { configure } from "../../config/configuration.ts";
import { addTableOptions } from "../arguments/table-options.ts";
import { orUsageError } from "../arguments/usage-error.ts";
import { TREE_TEXTS } from "../bench-witness/tree-texts.ts";

interface Flags {
  threads?: string;
  trees?: string;
  depth?: string;
  duration?: string;
  warmUp?: string;
  keys?: string;
  absent?: string;
  json?: true;
}

export function benchWitnessCommand(): Command {
  const command = new Command("bench-witness")
    .description(
      "measure how many witnesses a second this machine reads from a data directory; a node may be running on it",
    )
    .option("--threads <n>", "threads that read, each by itself (default: one per processor)")
    .option(
      "--trees <mix>",
      `trees to ask, with weights: ${TREE_TEXTS.join(", ")} (default: nullifier=1,public-data=1)`,
    )
    .option("--depth <blocks>", "how far behind the tip the state is that is asked (default: 0)")
    .option("--duration <seconds>", "how long to measure (default: 10)")
    .option("--warm-up <seconds>", "how long to ask before that without counting (default: 1)")
    .option("--keys <n>", "keys that each thread draws from a tree (default: 10000)")
    .option("--absent <percent>", "share of nullifiers and slots that are not in their tree (default: 50)")
    .option("--json", "figures as a JSON object");
  const given = addTableOptions(command, ["dataDirectory"]);
  return command.action((flags: Flags) =>
    orUsageError(async () => {
      const { dataDirectory } = configure(given()).values;
      const { runBenchWitness } = await import("../bench-witness/run-bench-witness.ts");
      await runBenchWitness(dataDirectory && resolve(dataDirectory), flags, flags.json === true);
    }),
  );
}
