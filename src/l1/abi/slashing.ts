import { parseAbi } from "viem";

/** Fragments of the slashing contracts (docs/protocol/12-slashing.md#126-slashing-contracts). */
export const slasherAbi = parseAbi([
  "function PROPOSER() view returns (address)",
  "function isSlashingEnabled() view returns (bool)",
  "function vetoedPayloads(address payload) view returns (bool)",
]);

/** Of both models. */
export const slashingProposerAbi = parseAbi(["function SLASHING_PROPOSER_TYPE() view returns (uint8)"]);

export const tallySlashingProposerAbi = parseAbi([
  "struct SlashAction { address validator; uint256 slashAmount; }",
  "function QUORUM() view returns (uint256)",
  "function ROUND_SIZE() view returns (uint256)",
  "function COMMITTEE_SIZE() view returns (uint256)",
  "function LIFETIME_IN_ROUNDS() view returns (uint256)",
  "function EXECUTION_DELAY_IN_ROUNDS() view returns (uint256)",
  "function SLASH_OFFSET_IN_ROUNDS() view returns (uint256)",
  "function SLASH_AMOUNT_SMALL() view returns (uint256)",
  "function SLASH_AMOUNT_MEDIUM() view returns (uint256)",
  "function SLASH_AMOUNT_LARGE() view returns (uint256)",
  "function getRound(uint256 round) view returns (bool isExecuted, uint256 voteCount)",
  "function getVotes(uint256 round, uint256 index) view returns (bytes)",
  "function isRoundReadyToExecute(uint256 round, uint256 slot) view returns (bool)",
  "function getSlashTargetCommittees(uint256 round) returns (address[][] committees)",
  "function getTally(uint256 round, address[][] committees) view returns (SlashAction[])",
  "function getPayloadAddress(uint256 round, SlashAction[] actions) view returns (address)",
  "function vote(bytes votes, (uint8 v, bytes32 r, bytes32 s) sig)",
  "function executeRound(uint256 round, address[][] committees)",
]);

export const empireSlashingProposerAbi = parseAbi([
  "function QUORUM_SIZE() view returns (uint256)",
  "function ROUND_SIZE() view returns (uint256)",
  "function LIFETIME_IN_ROUNDS() view returns (uint256)",
  "function EXECUTION_DELAY_IN_ROUNDS() view returns (uint256)",
  "function getRoundData(address instance, uint256 round) view returns ((uint256 lastSignalSlot, address payloadWithMostSignals, bool executed))",
  "function signalCount(address instance, uint256 round, address payload) view returns (uint256)",
  "function signalWithSig(address payload, (uint8 v, bytes32 r, bytes32 s) sig) returns (bool)",
  "function submitRoundWinner(uint256 round) returns (bool)",
]);

export const slashFactoryAbi = parseAbi([
  "function createSlashPayload(address[] validators, uint96[] amounts, uint128[][] offenses) returns (address)",
  "function getAddressAndIsDeployed(address[] validators, uint96[] amounts, uint128[][] offenses) view returns (address payload, bytes32 salt, bool isDeployed)",
  "event SlashPayloadCreated(address indexed payloadAddress, address[] validators, uint96[] amounts, uint128[][] offenses)",
]);

/** VoteCast of the tally slashing proposer. */
export const VOTE_CAST_TOPIC = "0x7fe1d4e6b34e228b5dc059fcdc037c71b216fb2417f47c171e505144a5e4f5fc";
/** RoundExecuted of the tally slashing proposer. */
export const ROUND_EXECUTED_TOPIC = "0xf5b0598f6b87cd92cc8a5cdc26c424169e1d2084571d5ebff9efc8e417eb87ea";
