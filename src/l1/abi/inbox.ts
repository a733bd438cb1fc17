import { parseAbi } from "viem";

/** Fragments of the inbox contract (sheet 04 section 6.1). */
export const inboxAbi = parseAbi([
  "struct InboxState { bytes16 rollingHash; uint64 totalMessagesInserted; uint64 inProgress; }",
  "function getState() view returns (InboxState)",
  "event MessageSent(uint256 indexed checkpointNumber, uint256 index, bytes32 indexed hash, bytes16 rollingHash)",
]);
