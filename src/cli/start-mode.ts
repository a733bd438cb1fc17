import { ConfigurationError, MissingOptionError } from "../config/errors.ts";
import type { Values } from "../config/options.ts";

/** Checks that the modes, which are all available, are ones that run together. Throws ConfigurationError. */
export function requireNodeMode({ node, sequencer, bot }: Values): void {
  if (node) return;
  if (bot) throw new ConfigurationError("--bot runs alone or with --node, not with the other modes");
  if (sequencer) throw new ConfigurationError("Cannot run a standalone sequencer without a node");
  throw new ConfigurationError("No module specified to start; svc start --node runs a node");
}

/** Whether a bot is to run without a node (sheet 09 section 6.1). */
export function isBotAlone(values: Values): boolean {
  const { bot, node, proverNode, archiver, sequencer, p2pBootstrap } = values;
  return bot && !(node || proverNode || archiver || sequencer || p2pBootstrap);
}

/** Checks what a bot alone cannot start without. Throws ConfigurationError. */
export function requireBotOptions(values: Values): Values & { nodeUrl: string } {
  const { nodeUrl } = values;
  if (nodeUrl === undefined) {
    throw new MissingOptionError("nodeUrl", "A bot alone needs a node's RPC URL: give --bot.nodeUrl or AZTEC_NODE_URL");
  }
  return { ...values, nodeUrl };
}

/** Checks what a node cannot start without. Throws ConfigurationError. */
export function requireNodeOptions(values: Values): Values & { registryAddress: string } {
  if (values.l1RpcUrls.length === 0) {
    throw new MissingOptionError("l1RpcUrls", "An L1 RPC URL is required: give --l1-rpc-urls or ETHEREUM_HOSTS");
  }
  const { registryAddress } = values;
  if (registryAddress === undefined || /^0x0+$/.test(registryAddress)) {
    throw new MissingOptionError(
      "registryAddress",
      "L1 registry address is required to start a node: give --registry-address or REGISTRY_CONTRACT_ADDRESS",
    );
  }
  return { ...values, registryAddress };
}
