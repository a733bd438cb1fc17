/** Networks by name (docs/protocol/09-configuration.md#93-networks). */
export const NETWORKS = [
  "local",
  "staging-ignition",
  "staging-public",
  "testnet",
  "mainnet",
  "next-net",
  "devnet",
] as const;
export type Network = (typeof NETWORKS)[number];

export const NETWORK_ALIASES: Record<string, Network> = { "alpha-testnet": "testnet" };
