import { DeploymentParameterError } from "./errors.ts";

export type SlasherFlavor = "tally" | "empire" | "none";

/**
 * Deployment parameters (docs/protocol/04-l1-contracts.md#432-deployment-steps and
 * docs/protocol/04-l1-contracts.md#433-rollup-constructor-and-version), named as in the option table. Amounts in wei
 * and times in seconds unless noted.
 */
export interface DeploymentParameters {
  aztecSlotDuration: number;
  /** Slots. */
  aztecEpochDuration: number;
  /** 0 means no committee: anyone may propose and no attestations are needed. */
  aztecTargetCommitteeSize: number;
  lagInEpochsForValidatorSet: number;
  lagInEpochsForRandao: number;
  /** Checkpoints. */
  inboxLag: number;
  aztecProofSubmissionEpochs: number;
  activationThreshold: bigint;
  ejectionThreshold: bigint;
  localEjectionThreshold: bigint;
  slashingOffsetInRounds: number;
  slasherFlavor: SlasherFlavor;
  slashAmountSmall: bigint;
  slashAmountMedium: bigint;
  slashAmountLarge: bigint;
  /** Undefined: more than half of the round. */
  slashingQuorum?: number;
  slashingRoundSizeInEpochs: number;
  slashingLifetimeInRounds: number;
  slashingExecutionDelayInRounds: number;
  slashingVetoer: string;
  slashingDisableDuration: number;
  /** Undefined: more than half of the round. */
  governanceProposerQuorum?: number;
  /** Slots. */
  governanceProposerRoundSize: number;
  governanceVotingDuration: number;
  manaTarget: bigint;
  provingCostPerMana: bigint;
  exitDelaySeconds: number;
  /** ETH per unit of the fee asset, times 1e12. */
  initialEthPerFeeAsset: bigint;
  entryQueueBootstrapValidatorSetSize?: number;
  entryQueueBootstrapFlushSize?: number;
  entryQueueFlushSizeMin?: number;
  entryQueueFlushSizeQuotient?: number;
  entryQueueMaxFlushSize?: number;
}

/** Slots of a slashing round. */
export function slashingRoundSize(p: DeploymentParameters): number {
  return p.slashingRoundSizeInEpochs * p.aztecEpochDuration;
}

export function slashingQuorum(p: DeploymentParameters): number {
  return p.slashingQuorum ?? Math.floor(slashingRoundSize(p) / 2) + 1;
}

export function governanceProposerQuorum(p: DeploymentParameters): number {
  return p.governanceProposerQuorum ?? Math.floor(p.governanceProposerRoundSize / 2) + 1;
}

/** A network without a committee has no slasher. */
export function hasSlasher(p: DeploymentParameters): boolean {
  return p.aztecTargetCommitteeSize > 0 && p.slasherFlavor !== "none";
}

type Rule = readonly [field: keyof DeploymentParameters, holds: boolean, rule: string];

const U32 = 2n ** 32n;

/** Rules of the tally slasher (docs/protocol/04-l1-contracts.md#434-initial-validators). */
function tallyRules(p: DeploymentParameters): Rule[] {
  const round = slashingRoundSize(p);
  const quorum = slashingQuorum(p);
  const votes = p.aztecTargetCommitteeSize * p.slashingRoundSizeInEpochs;
  const ascending = p.slashAmountSmall <= p.slashAmountMedium && p.slashAmountMedium <= p.slashAmountLarge;
  return [
    [
      "slashingRoundSizeInEpochs",
      votes % 4 === 0 && votes <= 512,
      `times aztecTargetCommitteeSize must be a multiple of 4 of at most 512; is ${votes}`,
    ],
    ["slashingQuorum", quorum > round / 2 && quorum <= round, `must be above ${round / 2} and at most ${round}`],
    ["slashingOffsetInRounds", p.slashingOffsetInRounds > 0, "must be at least 1"],
    [
      "slashingExecutionDelayInRounds",
      p.slashingExecutionDelayInRounds < p.slashingLifetimeInRounds,
      `must be below slashingLifetimeInRounds, which is ${p.slashingLifetimeInRounds}`,
    ],
    ["slashAmountSmall", p.slashAmountSmall > 0n, "must be above 0"],
    ["slashAmountMedium", ascending, "must not be below slashAmountSmall or above slashAmountLarge"],
  ];
}

/** Checks the contracts' rules. Throws a DeploymentParameterError for the first that a parameter breaks. */
export function checkParameters(p: DeploymentParameters): void {
  const rules: Rule[] = [
    [
      "lagInEpochsForRandao",
      p.lagInEpochsForRandao <= p.lagInEpochsForValidatorSet,
      `must not be above lagInEpochsForValidatorSet, which is ${p.lagInEpochsForValidatorSet}`,
    ],
    ["inboxLag", p.inboxLag > 0, "must be at least 1"],
    ["manaTarget", 2n * p.manaTarget < U32, "must be below 2147483648: the limit is twice as much"],
    ["provingCostPerMana", p.provingCostPerMana < 2n ** 64n, "must be below 2^64"],
    [
      "initialEthPerFeeAsset",
      p.initialEthPerFeeAsset >= 100n && p.initialEthPerFeeAsset <= 10n ** 14n,
      "must be from 100 to 100000000000000",
    ],
    ["entryQueueFlushSizeMin", p.entryQueueFlushSizeMin !== 0, "must be at least 1"],
    ["entryQueueFlushSizeQuotient", p.entryQueueFlushSizeQuotient !== 0, "must be at least 1"],
    ...(hasSlasher(p) && p.slasherFlavor === "tally" ? tallyRules(p) : []),
  ];
  for (const [field, holds, rule] of rules) if (!holds) throw new DeploymentParameterError(field, rule);
}
