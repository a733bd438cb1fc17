import { parseAbi } from "viem";

/** Fragment of the outbox of the released network: one root per epoch (sheet 04 section 7.3). */
export const outboxAbi = parseAbi(["function getRootData(uint256 epoch) view returns (bytes32)"]);
