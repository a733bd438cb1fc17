import { MissingOptionError } from "../config/errors.ts";
import type { Values } from "../config/options.ts";
import { onlyProves } from "../node/settings/roles.ts";
import type { Mode } from "./mode.ts";

function requireL1({ l1RpcUrls }: Values): void {
  if (l1RpcUrls.length > 0) return;
  throw new MissingOptionError("l1RpcUrls", "An L1 RPC URL is required: give --l1-rpc-urls or ETHEREUM_HOSTS");
}

function withRegistry(values: Values): Values & { registryAddress: string } {
  const { registryAddress } = values;
  if (registryAddress === undefined || /^0x0+$/.test(registryAddress)) {
    throw new MissingOptionError(
      "registryAddress",
      "L1 registry address is required to start a node: give --registry-address or REGISTRY_CONTRACT_ADDRESS",
    );
  }
  return { ...values, registryAddress };
}

/** A node of an existing network, optionally with a sequencer, a prover or a bot. */
export const nodeMode: Mode = {
  name: "node",
  selected: ({ node, proverNode }) => node || proverNode,
  savesMemory: onlyProves,
  followsL1: true,
  hasNodePorts: true,
  async checks() {
    const { NODE_CHECKS } = await import("../node/start-checks.ts");
    return [requireL1, withRegistry, ...NODE_CHECKS];
  },
  async run(configuration, version) {
    const nodeValues = withRegistry(configuration.values);
    const { runNode } = await import("../node/run-node.ts");
    return runNode(nodeValues, version, configuration);
  },
};
