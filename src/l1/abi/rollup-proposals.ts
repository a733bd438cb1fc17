import { parseAbi } from "viem";

/**
 * Fragments of the rollup contract that a proposer asks before it builds
 * (docs/protocol/04-l1-contracts.md#44-interface-of-the-rollup,
 * docs/protocol/08-building-and-checkpoints.md#86-consent-of-l1).
 */
export const rollupProposalsAbi = parseAbi([
  "function canProposeAtTime(uint256 ts, bytes32 archive, address who) returns (uint256 slot, uint256 checkpointNumber)",
  "function getManaMinFeeAt(uint256 ts, bool inFeeAsset) view returns (uint256)",
  "function getEthPerFeeAsset() view returns (uint256)",
  "error Rollup__SlotAlreadyInChain(uint256 lastSlot, uint256 proposedSlot)",
  "error Rollup__InvalidArchive(bytes32 expected, bytes32 actual)",
  "error ValidatorSelection__InvalidProposer(address expected, address actual)",
]);

/**
 * The pool contract of a decentralized exchange, in which the fee asset's price is seen
 * (docs/protocol/08-building-and-checkpoints.md#822-price-modifier).
 */
export const stateViewAbi = parseAbi([
  "function getSlot0(bytes32 poolId) view returns (uint160 sqrtPriceX96, int24 tick, uint24 protocolFee, uint24 lpFee)",
]);
