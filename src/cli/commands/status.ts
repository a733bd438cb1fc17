import { Command } from "commander";
import type { StatusFlags } from "../status/run-status.ts";

/** Exit code of wrong usage: 1 says that the node is not ready. */
const WRONG_USAGE = 2;

export function statusCommand(): Command {
  return new Command("status")
    .description("ask a running node whether it is ready: exit code 0 if it is, 1 if not, 2 without an answer")
    .option("--url <url>", "public port of the node", "http://127.0.0.1:8080")
    .option("--max-lag-blocks <n>", "not ready if more blocks than this are missing (default: the node's own limit)")
    .option("--max-l1-age-seconds <n>", "not ready if its latest L1 block is older (default: the node's own limit)")
    .option("--min-peers <n>", "not ready with fewer peers (default: the node's own limit)")
    .option("--timeout <seconds>", "how long to wait for an answer", "10")
    .option("--json", "print the answer of /ready as JSON")
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : WRONG_USAGE))
    .action(async (flags: StatusFlags) => {
      const { runStatus } = await import("../status/run-status.ts");
      process.exitCode = await runStatus(flags);
    });
}
