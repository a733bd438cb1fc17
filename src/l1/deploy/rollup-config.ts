import { toHex } from "../../protocol/bytes.ts";
import type { ContractRules } from "../../protocol/generations/contracts.ts";
import { computeRollupVersion, type RollupConfig, type RollupGenesis } from "../rollup-version.ts";
import { type DeploymentParameters, type SlasherFlavor, slashingQuorum, slashingRoundSize } from "./parameters.ts";

type Hex = `0x${string}`;

const FLAVOR: Record<SlasherFlavor, number> = { none: 0, tally: 1, empire: 2 };
const ZERO_ADDRESS: Hex = `0x${"00".repeat(20)}`;

/** Fee asset paid for a checkpoint of the canonical rollup, in wei. */
export const CHECKPOINT_REWARD = 500n * 10n ** 18n;

export function rollupGenesis(contracts: ContractRules, genesisArchiveRoot: Uint8Array): RollupGenesis {
  return {
    vkTreeRoot: contracts.vkTreeRoot,
    protocolContractsHash: contracts.protocolContractsHash,
    genesisArchiveRoot: toHex(genesisArchiveRoot) as Hex,
  };
}

/**
 * RollupConfigInput of the constructor, with its version
 * (docs/protocol/04-l1-contracts.md#433-rollup-constructor-and-version).
 */
export function rollupConfig(
  p: DeploymentParameters,
  genesis: RollupGenesis,
  rewardDistributor: string,
  rewardsClaimableAt: number,
): RollupConfig {
  const config: RollupConfig = {
    aztecSlotDuration: BigInt(p.aztecSlotDuration),
    aztecEpochDuration: BigInt(p.aztecEpochDuration),
    targetCommitteeSize: BigInt(p.aztecTargetCommitteeSize),
    lagInEpochsForValidatorSet: BigInt(p.lagInEpochsForValidatorSet),
    lagInEpochsForRandao: BigInt(p.lagInEpochsForRandao),
    aztecProofSubmissionEpochs: BigInt(p.aztecProofSubmissionEpochs),
    slashingQuorum: BigInt(slashingQuorum(p)),
    slashingRoundSize: BigInt(slashingRoundSize(p)),
    slashingLifetimeInRounds: BigInt(p.slashingLifetimeInRounds),
    slashingExecutionDelayInRounds: BigInt(p.slashingExecutionDelayInRounds),
    slashAmounts: [p.slashAmountSmall, p.slashAmountMedium, p.slashAmountLarge],
    slashingOffsetInRounds: BigInt(p.slashingOffsetInRounds),
    slasherFlavor: FLAVOR[p.slasherFlavor],
    slashingVetoer: p.slashingVetoer as Hex,
    slashingDisableDuration: BigInt(p.slashingDisableDuration),
    manaTarget: p.manaTarget,
    exitDelaySeconds: BigInt(p.exitDelaySeconds),
    version: 0,
    provingCostPerMana: p.provingCostPerMana,
    initialEthPerFeeAsset: p.initialEthPerFeeAsset,
    rewardConfig: {
      rewardDistributor: rewardDistributor as Hex,
      sequencerBps: 7000,
      booster: ZERO_ADDRESS,
      checkpointReward: CHECKPOINT_REWARD,
    },
    rewardBoostConfig: { increment: 125_000, maxScore: 15_000_000, a: 1000, minimum: 100_000, k: 1_000_000 },
    stakingQueueConfig: {
      bootstrapValidatorSetSize: BigInt(p.entryQueueBootstrapValidatorSetSize ?? 0),
      bootstrapFlushSize: BigInt(p.entryQueueBootstrapFlushSize ?? 0),
      normalFlushSizeMin: BigInt(p.entryQueueFlushSizeMin ?? 48),
      normalFlushSizeQuotient: BigInt(p.entryQueueFlushSizeQuotient ?? 2),
      maxQueueFlushSize: BigInt(p.entryQueueMaxFlushSize ?? 48),
    },
    localEjectionThreshold: p.localEjectionThreshold,
    earliestRewardsClaimableTimestamp: BigInt(rewardsClaimableAt),
    inboxLag: BigInt(p.inboxLag),
  };
  return { ...config, version: computeRollupVersion(config, genesis) };
}
