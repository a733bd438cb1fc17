import { parseAbi } from "viem";

/**
 * Fragments of the rollup contract that following the chain needs
 * (docs/protocol/04-l1-contracts.md#44-interface-of-the-rollup).
 */
export const rollupAbi = parseAbi([
  "struct GasFees { uint128 feePerDaGas; uint128 feePerL2Gas; }",
  "struct ProposedHeader { bytes32 lastArchiveRoot; bytes32 blockHeadersHash; bytes32 blobsHash; bytes32 inHash; bytes32 outHash; uint256 slotNumber; uint256 timestamp; address coinbase; bytes32 feeRecipient; GasFees gasFees; uint256 totalManaUsed; }",
  "struct OracleInput { int256 feeAssetPriceModifier; }",
  "struct ProposeArgs { bytes32 archive; OracleInput oracleInput; ProposedHeader header; }",
  "struct CommitteeAttestations { bytes signatureIndices; bytes signaturesOrAddresses; }",
  "struct Signature { uint8 v; bytes32 r; bytes32 s; }",
  "function propose(ProposeArgs _args, CommitteeAttestations _attestations, address[] _signers, Signature _attestationsAndSignersSignature, bytes _blobInput)",
  "function status(uint256 n) view returns (uint256 provenCheckpointNumber, bytes32 provenArchive, uint256 pendingCheckpointNumber, bytes32 pendingArchive, bytes32 archiveOfMyCheckpoint, uint256 provenEpochNumber)",
  "function getProvenCheckpointNumber() view returns (uint256)",
  "function archiveAt(uint256) view returns (bytes32)",
  "function canPruneAtTime(uint256 ts) view returns (bool)",
  "function L1_BLOCK_AT_GENESIS() view returns (uint256)",
  "function getGenesisTime() view returns (uint256)",
  "function getSlotDuration() view returns (uint256)",
  "function getEpochDuration() view returns (uint256)",
  "function getProofSubmissionEpochs() view returns (uint256)",
  "function getVersion() view returns (uint256)",
  "function getTargetCommitteeSize() view returns (uint256)",
  "function getLagInEpochsForValidatorSet() view returns (uint256)",
  "function getLagInEpochsForRandao() view returns (uint256)",
  "function getManaLimit() view returns (uint256)",
  "function getCommitteeAt(uint256 ts) returns (address[])",
  "function getSampleSeedAt(uint256 ts) view returns (uint256)",
  "function getInbox() view returns (address)",
  "function getOutbox() view returns (address)",
  "function getFeeAsset() view returns (address)",
  "function getFeeAssetPortal() view returns (address)",
  "function getRewardDistributor() view returns (address)",
  "function getStakingAsset() view returns (address)",
  "function getGSE() view returns (address)",
  "function getActiveAttesterCount() view returns (uint256)",
  "function getEscapeHatch() view returns (address)",
  "function getSlasher() view returns (address)",
  "event CheckpointProposed(uint256 indexed checkpointNumber, bytes32 indexed archive, bytes32[] versionedBlobHashes, bytes32 payloadDigest, bytes32 attestationsHash)",
  "error ValidatorSelection__InsufficientValidatorSetSize(uint256 actual, uint256 expected)",
  "error ValidatorSelection__EpochNotStable(uint256 queriedEpoch, uint32 currentTimestamp)",
]);
