import { Command } from "commander";
import { OPTION_KEYS, OPTIONS, type OptionKey } from "../../config/options.ts";
import { configureForNetwork } from "../../network/network-file.ts";
import { hideArguments } from "../arguments/hide-arguments.ts";
import { addTableOptions } from "../arguments/table-options.ts";
import { orUsageError } from "../arguments/usage-error.ts";
import type { DeployFlags } from "../deploy/deploy-request.ts";

const KEYS: readonly OptionKey[] = [
  "network",
  "l1RpcUrls",
  "l1ChainId",
  "ethereumSlotDuration",
  "testAccounts",
  "sponsoredFpc",
  "prefundAddresses",
  ...OPTION_KEYS.filter((key) => OPTIONS[key].group === "Deployment"),
];

export function deployL1ContractsCommand(): Command {
  const command = new Command("deploy-l1-contracts")
    .description("deploy the L1 contracts of a new network and print their addresses")
    .option("--private-key <key>", "key of the L1 account that deploys and pays (env PRIVATE_KEY)")
    .option(
      "-m, --mnemonic <words>",
      "words of the account instead (env MNEMONIC; default: the test words, on development chains)",
    )
    .option("-i, --mnemonic-index <n>", "which account of the words (default: 0)")
    .option(
      "--validators <addresses>",
      "comma list of L1 addresses that validate from the start, with BLS keys drawn anew",
    )
    .option("--test-accounts", "genesis funds the test accounts (env TEST_ACCOUNTS)")
    .option("--sponsored-fpc", "genesis funds the sponsored fee contract (env SPONSORED_FPC)")
    .option("--real-verifier", "proofs are checked; without it any proof is accepted")
    .option("--existing-token <address>", "ERC-20 to stake and to pay with, instead of new test tokens")
    .option("--output <file>", "write the addresses to a file too, as JSON")
    .option("--json", "print the addresses as a JSON object");
  const given = addTableOptions(command, KEYS);
  return command.action((flags: DeployFlags) =>
    orUsageError(async () => {
      if (flags.privateKey !== undefined || flags.mnemonic !== undefined) hideArguments(command);
      const { values } = await configureForNetwork(given(), false);
      const { runDeploy } = await import("../deploy/run-deploy.ts");
      await runDeploy(values, flags, process.env);
    }),
  );
}
