import { parseAbi } from "viem";

/**
 * Fragments of the registry and of the contracts that only discovery asks
 * (docs/protocol/04-l1-contracts.md#41-discovery).
 */
export const registryAbi = parseAbi([
  "function getCanonicalRollup() view returns (address)",
  "function getRollup(uint256 version) view returns (address)",
  "function getVersion(uint256 index) view returns (uint256)",
  "function getGovernance() view returns (address)",
  "event CanonicalRollupUpdated(address indexed instance, uint256 indexed version)",
]);

export const governanceAbi = parseAbi(["function governanceProposer() view returns (address)"]);

export const feeAssetAbi = parseAbi(["function owner() view returns (address)"]);

export const coinIssuerAbi = parseAbi(["function owner() view returns (address)"]);

export const relayerAbi = parseAbi(["function GATED_UNTIL() view returns (uint256)"]);

export const stakingAssetHandlerAbi = parseAbi(["function zkPassportVerifier() view returns (address)"]);
