import type { Mode } from "./mode.ts";

/** A whole network for development in one process: L1, contracts, a node that builds blocks. */
export const localNetworkMode: Mode = {
  name: "local network",
  selected: ({ localNetwork }) => localNetwork,
  async run(configuration, version) {
    const { runLocalNetwork } = await import("../node/local-network/run-local-network.ts");
    return runLocalNetwork({ configuration, version });
  },
};
