import { parseAbi } from "viem";

/**
 * Fragments of the outbox (docs/protocol/04-l1-contracts.md#416-outbox). Each generation has one of the functions:
 * either one root per epoch, or one for each number of its checkpoints from 1 on.
 */
export const outboxAbi = parseAbi([
  "function getRootData(uint256 epoch) view returns (bytes32)",
  "function getRoots(uint256 epoch) view returns (bytes32[32])",
]);
