import { oneOf } from "../kinds/kinds.ts";
import { bigInteger, integer, MAX_COUNT, MAX_SECONDS } from "../kinds/number-kinds.ts";
import { rowsOf } from "../kinds/option.ts";
import { l1Address } from "../kinds/protocol-kinds.ts";

const rows = rowsOf("Deployment", "deployment");

export const deployment = {
  aztecSlotDuration: rows.withDefault(
    {
      flags: ["--aztecSlotDuration"],
      env: ["AZTEC_SLOT_DURATION"],
      kind: integer(1, MAX_SECONDS),
      meaning: "seconds per L2 slot",
    },
    72,
  ),
  aztecEpochDuration: rows.withDefault(
    {
      flags: ["--aztecEpochDuration"],
      env: ["AZTEC_EPOCH_DURATION"],
      kind: integer(1, 32),
      meaning: "slots per epoch",
    },
    32,
  ),
  aztecTargetCommitteeSize: rows.withDefault(
    {
      flags: ["--aztecTargetCommitteeSize"],
      env: ["AZTEC_TARGET_COMMITTEE_SIZE"],
      kind: integer(0, MAX_COUNT),
      meaning: "validators per committee",
    },
    48,
  ),
  lagInEpochsForValidatorSet: rows.withDefault(
    {
      flags: ["--lagInEpochsForValidatorSet"],
      env: ["AZTEC_LAG_IN_EPOCHS_FOR_VALIDATOR_SET"],
      kind: integer(0, MAX_COUNT),
      meaning: "epochs between the snapshot of the validator set and its use",
    },
    2,
  ),
  lagInEpochsForRandao: rows.withDefault(
    {
      flags: ["--lagInEpochsForRandao"],
      env: ["AZTEC_LAG_IN_EPOCHS_FOR_RANDAO"],
      kind: integer(0, MAX_COUNT),
      meaning: "epochs between the sampling of the RANDAO seed and its use",
    },
    1,
  ),
  inboxLag: rows.withDefault(
    {
      flags: ["--inboxLag"],
      env: ["AZTEC_INBOX_LAG"],
      kind: integer(0, MAX_COUNT),
      meaning: "checkpoints between sending an L1 to L2 message and its inclusion",
    },
    1,
  ),
  aztecProofSubmissionEpochs: rows.withDefault(
    {
      flags: ["--aztecProofSubmissionEpochs"],
      env: ["AZTEC_PROOF_SUBMISSION_EPOCHS"],
      kind: integer(0, MAX_COUNT),
      meaning: "epochs after the end of an epoch in which its proof is still accepted",
    },
    1,
  ),
  activationThreshold: rows.withDefault(
    {
      flags: ["--activationThreshold"],
      env: ["AZTEC_ACTIVATION_THRESHOLD"],
      kind: bigInteger,
      meaning: "stake required to become a validator, in wei",
    },
    10n ** 20n,
  ),
  ejectionThreshold: rows.withDefault(
    {
      flags: ["--ejectionThreshold"],
      env: ["AZTEC_EJECTION_THRESHOLD"],
      kind: bigInteger,
      meaning: "stake in the escrow below which a validator is ejected, in wei",
    },
    5n * 10n ** 19n,
  ),
  localEjectionThreshold: rows.withDefault(
    {
      flags: ["--localEjectionThreshold"],
      env: ["AZTEC_LOCAL_EJECTION_THRESHOLD"],
      kind: bigInteger,
      meaning: "stake below which this rollup ejects a validator, in wei",
    },
    98n * 10n ** 18n,
  ),
  slashingOffsetInRounds: rows.withDefault(
    {
      flags: ["--slashingOffsetInRounds"],
      env: ["AZTEC_SLASHING_OFFSET_IN_ROUNDS"],
      kind: integer(0, MAX_COUNT),
      meaning: "rounds between an offense and the vote on it",
    },
    2,
  ),
  slasherFlavor: rows.withDefault(
    {
      flags: ["--slasherFlavor"],
      env: ["AZTEC_SLASHER_FLAVOR"],
      kind: oneOf(["tally", "empire", "none"]),
      meaning: "slashing mechanism",
    },
    "tally",
  ),
  slashAmountSmall: rows.withDefault(
    {
      flags: ["--slashAmountSmall"],
      env: ["AZTEC_SLASH_AMOUNT_SMALL"],
      kind: bigInteger,
      meaning: "stake slashed for one slash unit, in wei",
    },
    10n ** 19n,
  ),
  slashAmountMedium: rows.withDefault(
    {
      flags: ["--slashAmountMedium"],
      env: ["AZTEC_SLASH_AMOUNT_MEDIUM"],
      kind: bigInteger,
      meaning: "stake slashed for two slash units, in wei",
    },
    2n * 10n ** 19n,
  ),
  slashAmountLarge: rows.withDefault(
    {
      flags: ["--slashAmountLarge"],
      env: ["AZTEC_SLASH_AMOUNT_LARGE"],
      kind: bigInteger,
      meaning: "stake slashed for three slash units, in wei",
    },
    5n * 10n ** 19n,
  ),
  slashingQuorum: rows.optional({
    flags: ["--slashingQuorum"],
    env: ["AZTEC_SLASHING_QUORUM"],
    kind: integer(0, MAX_COUNT),
    meaning: "votes required to slash; unset means more than half of the round",
  }),
  slashingRoundSizeInEpochs: rows.withDefault(
    {
      flags: ["--slashingRoundSizeInEpochs"],
      env: ["AZTEC_SLASHING_ROUND_SIZE_IN_EPOCHS"],
      kind: integer(0, MAX_COUNT),
      meaning: "epochs per slashing round",
    },
    4,
  ),
  slashingLifetimeInRounds: rows.withDefault(
    {
      flags: ["--slashingLifetimeInRounds"],
      env: ["AZTEC_SLASHING_LIFETIME_IN_ROUNDS"],
      kind: integer(0, MAX_COUNT),
      meaning: "rounds in which a slash can be executed",
    },
    5,
  ),
  slashingExecutionDelayInRounds: rows.withDefault(
    {
      flags: ["--slashingExecutionDelayInRounds"],
      env: ["AZTEC_SLASHING_EXECUTION_DELAY_IN_ROUNDS"],
      kind: integer(0, MAX_COUNT),
      meaning: "rounds before a slash can be executed",
    },
    0,
  ),
  slashingVetoer: rows.withDefault(
    {
      flags: ["--slashingVetoer"],
      env: ["AZTEC_SLASHING_VETOER"],
      kind: l1Address,
      meaning: "L1 address that may veto slashes",
    },
    `0x${"00".repeat(20)}`,
  ),
  slashingDisableDuration: rows.withDefault(
    {
      flags: ["--slashingDisableDuration"],
      env: ["AZTEC_SLASHING_DISABLE_DURATION"],
      kind: integer(0, MAX_SECONDS),
      meaning: "seconds for which the vetoer can disable slashing",
    },
    432_000,
  ),
  governanceProposerQuorum: rows.optional({
    flags: ["--governanceProposerQuorum"],
    env: ["AZTEC_GOVERNANCE_PROPOSER_QUORUM"],
    kind: integer(0, MAX_COUNT),
    meaning: "signals required to make a proposal; unset means more than half of the round",
  }),
  governanceProposerRoundSize: rows.withDefault(
    {
      flags: ["--governanceProposerRoundSize"],
      env: ["AZTEC_GOVERNANCE_PROPOSER_ROUND_SIZE"],
      kind: integer(0, MAX_COUNT),
      meaning: "slots per signalling round",
    },
    300,
  ),
  governanceVotingDuration: rows.withDefault(
    {
      flags: ["--governanceVotingDuration"],
      env: ["AZTEC_GOVERNANCE_VOTING_DURATION"],
      kind: integer(0, MAX_SECONDS),
      meaning: "duration of governance votes on test networks, in seconds",
    },
    3600,
  ),
  manaTarget: rows.withDefault(
    {
      flags: ["--manaTarget"],
      env: ["AZTEC_MANA_TARGET"],
      kind: bigInteger,
      meaning: "target mana per checkpoint; the limit is twice the target",
    },
    100_000_000n,
  ),
  provingCostPerMana: rows.withDefault(
    {
      flags: ["--provingCostPerMana"],
      env: ["AZTEC_PROVING_COST_PER_MANA"],
      kind: bigInteger,
      meaning: "initial proving cost per mana",
    },
    100n,
  ),
  exitDelaySeconds: rows.withDefault(
    {
      flags: ["--exitDelaySeconds"],
      env: ["AZTEC_EXIT_DELAY_SECONDS"],
      kind: integer(0, MAX_SECONDS),
      meaning: "seconds before stake can be withdrawn",
    },
    172_800,
  ),
  initialEthPerFeeAsset: rows.withDefault(
    {
      flags: ["--initialEthPerFeeAsset"],
      env: ["SVC_INITIAL_ETH_PER_FEE_ASSET", "AZTEC_INITIAL_ETH_PER_FEE_ASSET"],
      kind: bigInteger,
      meaning: "initial price of the fee asset in ETH, times 1e12",
    },
    10_000_000n,
  ),
  entryQueueBootstrapValidatorSetSize: rows.optional({
    flags: ["--entryQueueBootstrapValidatorSetSize"],
    env: ["AZTEC_ENTRY_QUEUE_BOOTSTRAP_VALIDATOR_SET_SIZE"],
    kind: integer(0, MAX_COUNT),
    meaning: "number of validators at which the entry queue leaves its bootstrap phase",
  }),
  entryQueueBootstrapFlushSize: rows.optional({
    flags: ["--entryQueueBootstrapFlushSize"],
    env: ["AZTEC_ENTRY_QUEUE_BOOTSTRAP_FLUSH_SIZE"],
    kind: integer(0, MAX_COUNT),
    meaning: "validators admitted per flush in the bootstrap phase",
  }),
  entryQueueFlushSizeMin: rows.optional({
    flags: ["--entryQueueFlushSizeMin"],
    env: ["AZTEC_ENTRY_QUEUE_FLUSH_SIZE_MIN"],
    kind: integer(0, MAX_COUNT),
    meaning: "minimum validators admitted per epoch",
  }),
  entryQueueFlushSizeQuotient: rows.optional({
    flags: ["--entryQueueFlushSizeQuotient"],
    env: ["AZTEC_ENTRY_QUEUE_FLUSH_SIZE_QUOTIENT"],
    kind: integer(1, MAX_COUNT),
    meaning: "divisor of the validator set size that gives the validators admitted per epoch",
  }),
  entryQueueMaxFlushSize: rows.optional({
    flags: ["--entryQueueMaxFlushSize"],
    env: ["AZTEC_ENTRY_QUEUE_MAX_FLUSH_SIZE"],
    kind: integer(0, MAX_COUNT),
    meaning: "maximum validators admitted per epoch",
  }),
};
