import { partValues } from "../config/part-values.ts";
import type { Mode } from "./mode.ts";

/** A whole network for development in one process: L1, contracts, a node that builds blocks. */
export const localNetworkMode: Mode = {
  name: "local network",
  selected: ({ localNetwork }) => localNetwork,
  hasNodePorts: true,
  async checks() {
    const { checkLocalL1 } = await import("../local-network/settings.ts");
    const { checkResource } = await import("../process/otlp/resource.ts");
    const { apiKeys } = await import("../node/keys/api-keys.ts");
    return [
      checkLocalL1,
      (values) => checkResource(partValues(values).otlp),
      (values) => apiKeys(partValues(values).rpc.keys),
    ];
  },
  async run(configuration, version) {
    const { runLocalNetwork } = await import("../local-network/run-local-network.ts");
    return runLocalNetwork({ configuration, version });
  },
};
