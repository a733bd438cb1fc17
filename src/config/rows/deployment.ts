import { oneOf } from "../kinds.ts";
import { bigInteger, integer, MOST_COUNT, MOST_SECONDS } from "../number-kinds.ts";
import { rowsOf } from "../option.ts";
import { l1Address } from "../protocol-kinds.ts";

const rows = rowsOf("Deployment", "deployment");

export const deployment = {
  aztecSlotDuration: rows.withDefault(
    {
      flags: ["--aztecSlotDuration"],
      env: ["AZTEC_SLOT_DURATION"],
      kind: integer(1, MOST_SECONDS),
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
      kind: integer(0, MOST_COUNT),
      meaning: "members of a committee",
    },
    48,
  ),
  lagInEpochsForValidatorSet: rows.withDefault(
    {
      flags: ["--lagInEpochsForValidatorSet"],
      env: ["AZTEC_LAG_IN_EPOCHS_FOR_VALIDATOR_SET"],
      kind: integer(0, MOST_COUNT),
      meaning: "epochs between sampling and use of the validator set",
    },
    2,
  ),
  lagInEpochsForRandao: rows.withDefault(
    {
      flags: ["--lagInEpochsForRandao"],
      env: ["AZTEC_LAG_IN_EPOCHS_FOR_RANDAO"],
      kind: integer(0, MOST_COUNT),
      meaning: "epochs between sampling and use of the random seed",
    },
    1,
  ),
  inboxLag: rows.withDefault(
    {
      flags: ["--inboxLag"],
      env: ["AZTEC_INBOX_LAG"],
      kind: integer(0, MOST_COUNT),
      meaning: "checkpoints between a message and its inclusion",
    },
    1,
  ),
  aztecProofSubmissionEpochs: rows.withDefault(
    {
      flags: ["--aztecProofSubmissionEpochs"],
      env: ["AZTEC_PROOF_SUBMISSION_EPOCHS"],
      kind: integer(0, MOST_COUNT),
      meaning: "epochs after an epoch in which its proof is accepted",
    },
    1,
  ),
  activationThreshold: rows.withDefault(
    {
      flags: ["--activationThreshold"],
      env: ["AZTEC_ACTIVATION_THRESHOLD"],
      kind: bigInteger,
      meaning: "stake that makes a validator, in wei",
    },
    10n ** 20n,
  ),
  ejectionThreshold: rows.withDefault(
    {
      flags: ["--ejectionThreshold"],
      env: ["AZTEC_EJECTION_THRESHOLD"],
      kind: bigInteger,
      meaning: "least stake in the escrow, in wei",
    },
    5n * 10n ** 19n,
  ),
  localEjectionThreshold: rows.withDefault(
    {
      flags: ["--localEjectionThreshold"],
      env: ["AZTEC_LOCAL_EJECTION_THRESHOLD"],
      kind: bigInteger,
      meaning: "least stake for this rollup, in wei",
    },
    98n * 10n ** 18n,
  ),
  slashingOffsetInRounds: rows.withDefault(
    {
      flags: ["--slashingOffsetInRounds"],
      env: ["AZTEC_SLASHING_OFFSET_IN_ROUNDS"],
      kind: integer(0, MOST_COUNT),
      meaning: "rounds between offenses and their votes",
    },
    2,
  ),
  slasherFlavor: rows.withDefault(
    {
      flags: ["--slasherFlavor"],
      env: ["AZTEC_SLASHER_FLAVOR"],
      kind: oneOf(["tally", "empire", "none"]),
      meaning: "kind of slashing",
    },
    "tally",
  ),
  slashAmountSmall: rows.withDefault(
    {
      flags: ["--slashAmountSmall"],
      env: ["AZTEC_SLASH_AMOUNT_SMALL"],
      kind: bigInteger,
      meaning: "stake lost for one unit, in wei",
    },
    10n ** 19n,
  ),
  slashAmountMedium: rows.withDefault(
    {
      flags: ["--slashAmountMedium"],
      env: ["AZTEC_SLASH_AMOUNT_MEDIUM"],
      kind: bigInteger,
      meaning: "stake lost for two units, in wei",
    },
    2n * 10n ** 19n,
  ),
  slashAmountLarge: rows.withDefault(
    {
      flags: ["--slashAmountLarge"],
      env: ["AZTEC_SLASH_AMOUNT_LARGE"],
      kind: bigInteger,
      meaning: "stake lost for three units, in wei",
    },
    5n * 10n ** 19n,
  ),
  slashingQuorum: rows.optional({
    flags: ["--slashingQuorum"],
    env: ["AZTEC_SLASHING_QUORUM"],
    kind: integer(0, MOST_COUNT),
    meaning: "votes that slash; unset means more than half of the round",
  }),
  slashingRoundSizeInEpochs: rows.withDefault(
    {
      flags: ["--slashingRoundSizeInEpochs"],
      env: ["AZTEC_SLASHING_ROUND_SIZE_IN_EPOCHS"],
      kind: integer(0, MOST_COUNT),
      meaning: "epochs per slashing round",
    },
    4,
  ),
  slashingLifetimeInRounds: rows.withDefault(
    {
      flags: ["--slashingLifetimeInRounds"],
      env: ["AZTEC_SLASHING_LIFETIME_IN_ROUNDS"],
      kind: integer(0, MOST_COUNT),
      meaning: "rounds in which a slash can be executed",
    },
    5,
  ),
  slashingExecutionDelayInRounds: rows.withDefault(
    {
      flags: ["--slashingExecutionDelayInRounds"],
      env: ["AZTEC_SLASHING_EXECUTION_DELAY_IN_ROUNDS"],
      kind: integer(0, MOST_COUNT),
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
      kind: integer(0, MOST_SECONDS),
      meaning: "seconds that the vetoer may disable slashing",
    },
    432_000,
  ),
  governanceProposerQuorum: rows.optional({
    flags: ["--governanceProposerQuorum"],
    env: ["AZTEC_GOVERNANCE_PROPOSER_QUORUM"],
    kind: integer(0, MOST_COUNT),
    meaning: "signals that make a proposal; unset means more than half of the round",
  }),
  governanceProposerRoundSize: rows.withDefault(
    {
      flags: ["--governanceProposerRoundSize"],
      env: ["AZTEC_GOVERNANCE_PROPOSER_ROUND_SIZE"],
      kind: integer(0, MOST_COUNT),
      meaning: "slots per signalling round",
    },
    300,
  ),
  governanceVotingDuration: rows.withDefault(
    {
      flags: ["--governanceVotingDuration"],
      env: ["AZTEC_GOVERNANCE_VOTING_DURATION"],
      kind: integer(0, MOST_SECONDS),
      meaning: "seconds of voting, on test networks",
    },
    3600,
  ),
  manaTarget: rows.withDefault(
    {
      flags: ["--manaTarget"],
      env: ["AZTEC_MANA_TARGET"],
      kind: bigInteger,
      meaning: "mana that a checkpoint aims at; the limit is twice as much",
    },
    100_000_000n,
  ),
  provingCostPerMana: rows.withDefault(
    {
      flags: ["--provingCostPerMana"],
      env: ["AZTEC_PROVING_COST_PER_MANA"],
      kind: bigInteger,
      meaning: "proving cost per mana at deployment",
    },
    100n,
  ),
  exitDelaySeconds: rows.withDefault(
    {
      flags: ["--exitDelaySeconds"],
      env: ["AZTEC_EXIT_DELAY_SECONDS"],
      kind: integer(0, MOST_SECONDS),
      meaning: "seconds before stake can be taken out",
    },
    172_800,
  ),
  initialEthPerFeeAsset: rows.withDefault(
    {
      flags: ["--initialEthPerFeeAsset"],
      env: ["SVC_INITIAL_ETH_PER_FEE_ASSET", "AZTEC_INITIAL_ETH_PER_FEE_ASSET"],
      kind: bigInteger,
      meaning: "ETH per unit of the fee asset at deployment, times 1e12",
    },
    10_000_000n,
  ),
  entryQueueBootstrapValidatorSetSize: rows.optional({
    flags: ["--entryQueueBootstrapValidatorSetSize"],
    env: ["AZTEC_ENTRY_QUEUE_BOOTSTRAP_VALIDATOR_SET_SIZE"],
    kind: integer(0, MOST_COUNT),
    meaning: "validators at which the entry queue leaves its bootstrap phase",
  }),
  entryQueueBootstrapFlushSize: rows.optional({
    flags: ["--entryQueueBootstrapFlushSize"],
    env: ["AZTEC_ENTRY_QUEUE_BOOTSTRAP_FLUSH_SIZE"],
    kind: integer(0, MOST_COUNT),
    meaning: "validators let in at once in the bootstrap phase",
  }),
  entryQueueFlushSizeMin: rows.optional({
    flags: ["--entryQueueFlushSizeMin"],
    env: ["AZTEC_ENTRY_QUEUE_FLUSH_SIZE_MIN"],
    kind: integer(0, MOST_COUNT),
    meaning: "least validators let in per epoch",
  }),
  entryQueueFlushSizeQuotient: rows.optional({
    flags: ["--entryQueueFlushSizeQuotient"],
    env: ["AZTEC_ENTRY_QUEUE_FLUSH_SIZE_QUOTIENT"],
    kind: integer(1, MOST_COUNT),
    meaning: "share of the validator set let in per epoch, as its divisor",
  }),
  entryQueueMaxFlushSize: rows.optional({
    flags: ["--entryQueueMaxFlushSize"],
    env: ["AZTEC_ENTRY_QUEUE_MAX_FLUSH_SIZE"],
    kind: integer(0, MOST_COUNT),
    meaning: "most validators let in per epoch",
  }),
};
