import { keccak_256 } from "@noble/hashes/sha3.js";
import { encodeAbiParameters, parseAbiParameters } from "viem";
import { fromHex, readU32 } from "../protocol/bytes.ts";

/**
 * RollupConfigInput and GenesisState of the rollup's constructor, in ABI order
 * (docs/protocol/04-l1-contracts.md#433-rollup-constructor-and-version).
 */
const ROLLUP_PARAMETERS = parseAbiParameters([
  "RollupConfigInput config, GenesisState genesis",
  "struct RewardConfig { address rewardDistributor; uint32 sequencerBps; address booster; uint96 checkpointReward; }",
  "struct RewardBoostConfig { uint32 increment; uint32 maxScore; uint32 a; uint32 minimum; uint32 k; }",
  "struct StakingQueueConfig { uint256 bootstrapValidatorSetSize; uint256 bootstrapFlushSize; uint256 normalFlushSizeMin; uint256 normalFlushSizeQuotient; uint256 maxQueueFlushSize; }",
  "struct RollupConfigInput { uint256 aztecSlotDuration; uint256 aztecEpochDuration; uint256 targetCommitteeSize; uint256 lagInEpochsForValidatorSet; uint256 lagInEpochsForRandao; uint256 aztecProofSubmissionEpochs; uint256 slashingQuorum; uint256 slashingRoundSize; uint256 slashingLifetimeInRounds; uint256 slashingExecutionDelayInRounds; uint256[3] slashAmounts; uint256 slashingOffsetInRounds; uint8 slasherFlavor; address slashingVetoer; uint256 slashingDisableDuration; uint256 manaTarget; uint256 exitDelaySeconds; uint32 version; uint256 provingCostPerMana; uint256 initialEthPerFeeAsset; RewardConfig rewardConfig; RewardBoostConfig rewardBoostConfig; StakingQueueConfig stakingQueueConfig; uint256 localEjectionThreshold; uint256 earliestRewardsClaimableTimestamp; uint256 inboxLag; }",
  "struct GenesisState { bytes32 vkTreeRoot; bytes32 protocolContractsHash; bytes32 genesisArchiveRoot; }",
]);

type RollupParameters = Parameters<typeof encodeAbiParameters<typeof ROLLUP_PARAMETERS>>[1];
export type RollupConfig = RollupParameters[0];
export type RollupGenesis = RollupParameters[1];

/** ABI encoding whose hash gives the version. Its own version field is set to zero. */
export function encodeRollupParameters(config: RollupConfig, genesis: RollupGenesis): Uint8Array {
  return fromHex(encodeAbiParameters(ROLLUP_PARAMETERS, [{ ...config, version: 0 }, genesis]));
}

/** Version of a rollup: the first four bytes of the hash of its constructor arguments. */
export function computeRollupVersion(config: RollupConfig, genesis: RollupGenesis): number {
  return readU32(keccak_256(encodeRollupParameters(config, genesis)), 0);
}
