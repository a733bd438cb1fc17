import { parseAbi } from "viem";

/**
 * The proposer wrapper that mainnet proposers send through, its proxy slot and the implementation known
 * (docs/protocol/04-l1-contracts.md#48-finding-the-calldata).
 */
export const SPIRE_PROPOSER_ADDRESS = "0x9ccc2f3ecde026230e11a5c8799ac7524f2bb294";
export const SPIRE_IMPLEMENTATION_ADDRESS = "0x7d38d47e7c82195e6e607d3b0f1c20c615c7bf42";
/** EIP-1967: keccak256("eip1967.proxy.implementation") - 1. */
export const IMPLEMENTATION_SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";

export const spireProposerAbi = parseAbi([
  "struct ProposerCall { address proposer; address target; bytes data; uint256 value; uint256 gasLimit; }",
  "function multicall(ProposerCall[] calls)",
]);
