import { Command, Option } from "commander";
import { orUsageError } from "../arguments/usage-error.ts";

const DEFAULT_CHAIN_ID = "31337";

export function generateBootnodeEnrCommand(): Command {
  return new Command("generate-bootnode-enr")
    .description("print the node record of a bootnode")
    .argument("<privateKey>", "key of its peer id, as generate-p2p-private-key prints it")
    .argument("<p2pIp>", "IPv4 address that it announces")
    .argument("<p2pPort>", "UDP port that it announces")
    .addOption(new Option("-c, --l1-chain-id <n>", "chain id of the L1").env("L1_CHAIN_ID").default(DEFAULT_CHAIN_ID))
    .action((privateKey: string, ip: string, port: string, { l1ChainId }: { l1ChainId: string }) =>
      orUsageError(async () => {
        const { bootnodeRecord } = await import("../peers/bootnode-record.ts");
        process.stdout.write(`${bootnodeRecord({ privateKey, ip, port, l1ChainId })}\n`);
      }),
    );
}
