import { boolean, listOf } from "../kinds/kinds.ts";
import { bigInteger, decimal, integer, MAX_COUNT, positiveFraction } from "../kinds/number-kinds.ts";
import { live, rowsOf } from "../kinds/option.ts";
import { l1Address } from "../kinds/protocol-kinds.ts";

const slasherRows = rowsOf("Slasher", "slasher");

export const slasher = {
  slashOverridePayload: slasherRows.optional({
    env: ["SLASH_OVERRIDE_PAYLOAD"],
    kind: l1Address,
    to: [live("slasher.overridePayload")],
    admin: {},
    meaning: "payload to vote for regardless of observed offenses",
  }),
  slashMinPenaltyPercentage: slasherRows.withDefault(
    {
      env: ["SLASH_MIN_PENALTY_PERCENTAGE"],
      kind: decimal(0, 1000),
      to: [live("slasher.minPenaltyPercentage")],
      admin: { only: "node" },
      meaning: "minimum penalty to vote for, as a factor of this node's own penalty",
    },
    0.5,
  ),
  slashMaxPenaltyPercentage: slasherRows.withDefault(
    {
      env: ["SLASH_MAX_PENALTY_PERCENTAGE"],
      kind: decimal(0, 1000),
      to: [live("slasher.maxPenaltyPercentage")],
      admin: { only: "node" },
      meaning: "maximum penalty to vote for, as a factor of this node's own penalty",
    },
    2,
  ),
  slashValidatorsAlways: slasherRows.withDefault(
    {
      env: ["SLASH_VALIDATORS_ALWAYS"],
      kind: listOf(l1Address),
      to: [live("slasher.validatorsAlways")],
      admin: {},
      meaning: "validators to always vote to slash",
    },
    [],
  ),
  slashValidatorsNever: slasherRows.withDefault(
    {
      env: ["SLASH_VALIDATORS_NEVER"],
      kind: listOf(l1Address),
      to: [live("slasher.validatorsNever")],
      admin: {},
      meaning: "validators to never vote to slash",
    },
    [],
  ),
  slashPrunePenalty: slasherRows.withDefault(
    {
      env: ["SLASH_PRUNE_PENALTY"],
      kind: bigInteger,
      to: [live("slasher.prunePenalty")],
      admin: { only: "node" },
      meaning: "penalty in wei: pruned epoch (offense 2)",
    },
    10n ** 19n,
  ),
  slashDataWithholdingPenalty: slasherRows.withDefault(
    {
      env: ["SLASH_DATA_WITHHOLDING_PENALTY"],
      kind: bigInteger,
      to: [live("slasher.dataWithholdingPenalty")],
      admin: {},
      meaning: "penalty in wei: withheld data (offense 1)",
    },
    10n ** 19n,
  ),
  slashBroadcastedInvalidBlockPenalty: slasherRows.withDefault(
    {
      env: ["SLASH_INVALID_BLOCK_PENALTY"],
      kind: bigInteger,
      to: [live("slasher.broadcastedInvalidBlockPenalty")],
      admin: {},
      meaning: "penalty in wei: invalid proposal (offense 4)",
    },
    10n ** 19n,
  ),
  slashDuplicateProposalPenalty: slasherRows.withDefault(
    {
      env: ["SLASH_DUPLICATE_PROPOSAL_PENALTY"],
      kind: bigInteger,
      to: [live("slasher.duplicateProposalPenalty")],
      admin: {},
      meaning: "penalty in wei: duplicate proposal (offense 8)",
    },
    0n,
  ),
  slashDuplicateAttestationPenalty: slasherRows.withDefault(
    {
      env: ["SLASH_DUPLICATE_ATTESTATION_PENALTY"],
      kind: bigInteger,
      to: [live("slasher.duplicateAttestationPenalty")],
      admin: {},
      meaning: "penalty in wei: duplicate attestation (offense 9)",
    },
    0n,
  ),
  slashInactivityTargetPercentage: slasherRows.withDefault(
    {
      env: ["SLASH_INACTIVITY_TARGET_PERCENTAGE"],
      kind: positiveFraction,
      to: [live("sentinel.targetPercentage")],
      admin: { form: { number: { above: 0, most: 1 } } },
      meaning: "share of missed duties from which a validator counts as inactive",
      usedBy: "sentinel",
    },
    0.9,
  ),
  slashInactivityConsecutiveEpochThreshold: slasherRows.withDefault(
    {
      env: ["SLASH_INACTIVITY_CONSECUTIVE_EPOCH_THRESHOLD"],
      kind: integer(1, MAX_COUNT),
      to: [live("sentinel.consecutiveEpochs")],
      admin: { form: { number: { least: 1 } } },
      meaning: "consecutive inactive epochs before inactivity is an offense",
      usedBy: "sentinel",
    },
    1,
  ),
  slashInactivityPenalty: slasherRows.withDefault(
    {
      env: ["SLASH_INACTIVITY_PENALTY"],
      kind: bigInteger,
      to: [live("sentinel.penalty")],
      admin: {},
      meaning: "penalty in wei: inactivity (offense 3)",
      usedBy: "sentinel",
    },
    10n ** 19n,
  ),
  slashProposeInvalidAttestationsPenalty: slasherRows.withDefault(
    {
      env: ["SLASH_PROPOSE_INVALID_ATTESTATIONS_PENALTY"],
      kind: bigInteger,
      to: [live("slasher.proposeInvalidAttestationsPenalty")],
      admin: {},
      meaning: "penalty in wei: published invalid attestations (offenses 5 and 6)",
    },
    10n ** 19n,
  ),
  slashAttestDescendantOfInvalidPenalty: slasherRows.withDefault(
    {
      env: ["SLASH_ATTEST_DESCENDANT_OF_INVALID_PENALTY"],
      kind: bigInteger,
      to: [live("slasher.attestDescendantOfInvalidPenalty")],
      admin: { only: "node" },
      meaning: "penalty in wei: attested on top of an invalid checkpoint (offense 7)",
    },
    10n ** 19n,
  ),
  slashUnknownPenalty: slasherRows.withDefault(
    {
      env: ["SLASH_UNKNOWN_PENALTY"],
      kind: bigInteger,
      to: [live("slasher.unknownPenalty")],
      admin: {},
      meaning: "penalty in wei: unknown offense (offense 0)",
    },
    10n ** 19n,
  ),
  slashOffenseExpirationRounds: slasherRows.withDefault(
    {
      env: ["SLASH_OFFENSE_EXPIRATION_ROUNDS"],
      kind: integer(0, MAX_COUNT),
      to: [live("slasher.offenseExpirationRounds")],
      admin: {},
      meaning: "rounds after which an offense expires",
    },
    4,
  ),
  slashMaxPayloadSize: slasherRows.withDefault(
    {
      env: ["SLASH_MAX_PAYLOAD_SIZE"],
      kind: integer(1, MAX_COUNT),
      to: [live("slasher.maxPayloadSize")],
      admin: {},
      meaning: "maximum validators in one vote",
    },
    50,
  ),
  slashGracePeriodL2Slots: slasherRows.withDefault(
    {
      env: ["SLASH_GRACE_PERIOD_L2_SLOTS"],
      kind: integer(0, MAX_COUNT),
      to: [live("slasher.gracePeriodL2Slots")],
      admin: {},
      meaning: "slots after the rollup's registration in which no offenses are recorded",
    },
    0,
  ),
  slashExecuteRoundsLookBack: slasherRows.withDefault(
    {
      env: ["SLASH_EXECUTE_ROUNDS_LOOK_BACK"],
      kind: integer(0, MAX_COUNT),
      to: [live("slasher.executeRoundsLookBack")],
      admin: {},
      meaning: "past rounds searched for one to execute",
    },
    4,
  ),
  slashSelfAllowed: slasherRows.withDefault(
    {
      kind: boolean,
      to: [live("slasher.selfAllowed")],
      admin: {},
      meaning: "also vote to slash own validators; can only be changed over the admin API",
    },
    false,
  ),
};

const sentinelRows = rowsOf("Sentinel", "sentinel");

export const sentinel = {
  sentinelEnabled: sentinelRows.withDefault(
    {
      env: ["SENTINEL_ENABLED"],
      kind: boolean,
      to: ["sentinel.enabled"],
      meaning: "track the performance of validators",
    },
    false,
  ),
  sentinelHistoryLengthInEpochs: sentinelRows.withDefault(
    {
      env: ["SENTINEL_HISTORY_LENGTH_IN_EPOCHS"],
      kind: integer(1, MAX_COUNT),
      to: ["sentinel.historyEpochs"],
      meaning: "epochs for which per-slot history is kept",
    },
    24,
  ),
  sentinelHistoricProvenPerformanceLengthInEpochs: sentinelRows.withDefault(
    {
      env: ["SENTINEL_HISTORIC_PROVEN_PERFORMANCE_LENGTH_IN_EPOCHS"],
      kind: integer(1, MAX_COUNT),
      to: ["sentinel.performanceEpochs"],
      meaning: "epochs for which proven performance is kept",
    },
    2000,
  ),
};
