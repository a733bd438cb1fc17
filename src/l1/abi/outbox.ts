import { parseAbi } from "viem";

/** Fragment of the outbox of the released network: one root per epoch (docs/protocol/04-l1-contracts.md#416-outbox). */
export const outboxAbi = parseAbi(["function getRootData(uint256 epoch) view returns (bytes32)"]);
