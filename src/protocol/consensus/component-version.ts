import type { ContractRules } from "../generations/contracts.ts";

interface NetworkComponents {
  l1ChainId: number;
  /** 0x text of 20 bytes. */
  rollupAddress: string;
  rollupVersion: number;
}

type ComponentHashes = Pick<ContractRules, "protocolContractsHash" | "vkTreeRoot">;

/** The parts of the version string: prefix, chain id, rollup address, rollup version, contracts hash, VK tree root. */
const PARTS = 6;

/** The first 4 bytes of 0x text, as 8 lower-case hex digits. */
const short = (hex: string): string => hex.slice(2, 10).toLowerCase();

/**
 * The string that peers must have in common: value of a node record's `aztec` key, suffix of the gossip topics, and
 * part of the status handshake (docs/protocol/10-peers.md#102-version-string).
 */
export function componentVersion(
  { l1ChainId, rollupAddress, rollupVersion }: NetworkComponents,
  { protocolContractsHash, vkTreeRoot }: ComponentHashes,
): string {
  const hashes = [protocolContractsHash, vkTreeRoot].map(short);
  return ["00", l1ChainId, short(rollupAddress), rollupVersion, ...hashes].join("-");
}

/** Version string of a bootnode's record, which names no rollup and so never equals a node's. */
export function bootnodeVersion(l1ChainId: number, contracts: ComponentHashes): string {
  return componentVersion({ l1ChainId, rollupAddress: `0x${"00".repeat(20)}`, rollupVersion: 0 }, contracts);
}

/**
 * Whether a record's version string names the components of ours. Parts after the sixth are ignored, as the reference
 * does; the status handshake compares whole strings instead.
 */
export function sameComponents(ours: string, theirs: string): boolean {
  const parts = theirs.split("-", PARTS + 1);
  return ours.split("-").every((part, i) => part === parts[i]);
}
