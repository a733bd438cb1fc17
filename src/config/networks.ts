/** Networks by name (sheet 09 section 2.3). */
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
