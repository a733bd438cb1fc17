import { parseAbi } from "viem";

export const governanceProposerAbi = parseAbi([
  "function QUORUM_SIZE() view returns (uint256)",
  "function computeRound(uint256 slot) view returns (uint256)",
  "function getRoundData(address instance, uint256 round) view returns ((uint256 lastSignalSlot, address payloadWithMostSignals, bool executed))",
  "function signalCount(address instance, uint256 round, address payload) view returns (uint256)",
  "function signalWithSig(address payload, (uint8 v, bytes32 r, bytes32 s) sig) returns (bool)",
  "event PayloadSubmitted(address indexed payload, uint256 indexed round)",
]);

/**
 * SignalCast, of the governance proposer and of the empire slashing proposer
 * (docs/protocol/08-building-and-checkpoints.md#823-governance-signals).
 */
export const SIGNAL_CAST_TOPIC = "0x2df1cd192fdb24be652b19858ee33f7fc0aff1a85485e3a44d29d1ef79472f65";
/** PayloadSubmitted (docs/protocol/08-building-and-checkpoints.md#823-governance-signals). */
export const PAYLOAD_SUBMITTED_TOPIC = "0x524a107cd762fc6fd9e34b29c33d17a2292ae9869be3743c11a155b87664af9c";
