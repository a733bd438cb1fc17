import { parseAbi } from "viem";

/** Fragments of the inbox contract (docs/protocol/04-l1-contracts.md#413-inbox). */
export const inboxAbi = parseAbi([
  "struct InboxState { bytes16 rollingHash; uint64 totalMessagesInserted; uint64 inProgress; }",
  "function getState() view returns (InboxState)",
  "event MessageSent(uint256 indexed checkpointNumber, uint256 index, bytes32 indexed hash, bytes16 rollingHash)",
]);
