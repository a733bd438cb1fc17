import { parseAbi } from "viem";

/**
 * Fragments of the rollup contract about the price of mana (docs/protocol/04-l1-contracts.md#44-interface-of-the-rollup
 * and docs/protocol/04-l1-contracts.md#429-price-of-mana).
 */
export const rollupFeesAbi = parseAbi([
  "struct ChainTips { uint256 pending; uint256 proven; }",
  "struct FeeHeader { uint256 excessMana; uint256 manaUsed; uint256 ethPerFeeAsset; uint256 congestionCost; uint256 proverCost; }",
  "struct CheckpointLog { bytes32 archive; bytes32 headerHash; bytes32 blobCommitmentsHash; bytes32 outHash; bytes32 attestationsHash; bytes32 payloadDigest; uint256 slotNumber; FeeHeader feeHeader; }",
  "struct L1FeeData { uint256 baseFee; uint256 blobFee; }",
  "function getTips() view returns (ChainTips)",
  "function getPendingCheckpointNumber() view returns (uint256)",
  "function getCheckpoint(uint256) view returns (CheckpointLog)",
  "function canPruneAtTime(uint256 ts) view returns (bool)",
  "function getManaMinFeeAt(uint256 ts, bool inFeeAsset) view returns (uint256)",
  "function getL1FeesAt(uint256 ts) view returns (L1FeeData)",
  "function getManaTarget() view returns (uint256)",
  "function getProvingCostPerManaInEth() view returns (uint256)",
  "error Rollup__UnavailableTempCheckpointLog(uint256 checkpointNumber, uint256 pendingCheckpointNumber, uint256 upperLimit)",
]);
