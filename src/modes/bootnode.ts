import { MissingOptionError } from "../config/errors.ts";
import type { Values } from "../config/options.ts";
import type { Mode } from "./mode.ts";

function requireAddress({ p2pIp, queryForIp }: Values): void {
  if (p2pIp !== undefined || queryForIp) return;
  throw new MissingOptionError(
    "p2pIp",
    "A bootnode announces its address: give --p2p.p2pIp or P2P_IP, or ask a public service for it with P2P_QUERY_FOR_IP",
  );
}

/** Introduces nodes to one another, and nothing else. */
export const bootnodeMode: Mode = {
  name: "bootnode",
  selected: ({ p2pBootstrap }) => p2pBootstrap,
  checks: () => [requireAddress],
  async run({ values, warnings }, version) {
    const { runBootnode } = await import("../node/bootnode/run-bootnode.ts");
    return runBootnode(values, version, warnings);
  },
};
