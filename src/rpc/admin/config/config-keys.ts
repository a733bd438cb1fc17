import type { Codec } from "../../codecs/json/codec.ts";
import {
  amount,
  boolean,
  l1Address,
  l1Addresses,
  l2Address,
  MOST_MILLISECONDS,
  number,
  numberAbove,
  numberFrom,
  numbers,
  oneOf,
  setupCalls,
  text,
  texts,
  wholeFrom,
} from "./config-kinds.ts";

export type ConfigGroup = "sequencer" | "test" | "prover" | "slasher" | "ha" | "validator" | "archiver" | "pool";

/** A configuration key that admin calls can show and change. */
export interface ConfigKey<T = unknown> {
  readonly group: ConfigGroup;
  readonly codec: Codec<T>;
  /** Value when nothing is configured; undefined: unset. */
  readonly default?: T;
  /** The only generation of the API with this key; absent: both have it. */
  readonly only?: "node" | "svc";
  /** Shown as [Redacted]. */
  readonly secret?: true;
}

type Facts<T> = Omit<ConfigKey<T>, "group" | "codec">;

function inGroup(group: ConfigGroup): <T>(codec: Codec<T>, facts?: Facts<NoInfer<T>>) => ConfigKey<T> {
  return (codec, facts = {}) => ({ group, codec, ...facts });
}

const sequencer = inGroup("sequencer");
const test = inGroup("test");
const prover = inGroup("prover");
const slasher = inGroup("slasher");
const ha = inGroup("ha");
const validator = inGroup("validator");

const NODE = { only: "node" } as const;
const SVC = { only: "svc" } as const;
const OFF = { default: false } as const;
/** 10 tokens of the staking asset. */
const PENALTY = { default: 10n ** 19n };

/**
 * Keys of NodeAdminConfig: types from docs/protocol/05-rpc.md#535-admin-configuration, defaults from
 * docs/configuration.md. Where no default of a penalty is known, it is 0: no slashing for that offense.
 */
export const CONFIG_KEYS = {
  sequencerPollingIntervalMS: sequencer(number, { default: 500 }),
  maxTxsPerBlock: sequencer(number),
  maxTxsPerCheckpoint: sequencer(number),
  maxBlocksPerCheckpoint: sequencer(number, SVC),
  minTxsPerBlock: sequencer(number, { default: 1 }),
  minValidTxsPerBlock: sequencer(number),
  publishTxsWithProposals: sequencer(boolean, OFF),
  maxL2BlockGas: sequencer(number),
  maxDABlockGas: sequencer(number),
  perBlockAllocationMultiplier: sequencer(number, { default: 2 }),
  perBlockDAAllocationMultiplier: sequencer(number, SVC),
  redistributeCheckpointBudget: sequencer(boolean, SVC),
  coinbase: sequencer(l1Address),
  feeRecipient: sequencer(l2Address),
  acvmWorkingDirectory: sequencer(text()),
  acvmBinaryPath: sequencer(text()),
  txPublicSetupAllowListExtend: sequencer(setupCalls),
  governanceProposerPayload: sequencer(l1Address),
  l1PublishingTime: sequencer(number),
  enforceTimeTable: sequencer(boolean, { default: true, ...NODE }),
  attestationPropagationTime: sequencer(number, { default: 2 }),
  minBlockDuration: sequencer(number, SVC),
  checkpointProposalPrepareTime: sequencer(number, SVC),
  checkpointProposalSyncGraceSeconds: sequencer(number, SVC),
  secondsBeforeInvalidatingBlockAsCommitteeMember: sequencer(number, { default: 144 }),
  secondsBeforeInvalidatingBlockAsNonCommitteeMember: sequencer(number, { default: 432 }),
  blockDurationMs: sequencer(numberAbove(0)),
  expectedBlockProposalsPerSlot: sequencer(number, { default: 0 }),
  buildCheckpointIfEmpty: sequencer(boolean, OFF),
  waitForBuildDeadlineOnFinalBlock: sequencer(boolean, SVC),
  minBlocksForCheckpoint: sequencer(numberAbove(0)),
  skipPublishingCheckpointsPercent: sequencer(numberFrom(0, 100), { default: 0 }),
  fishermanMode: sequencer(boolean, OFF),
  skipPushProposedBlocksToArchiver: sequencer(boolean, OFF),

  fakeProcessingDelayPerTxMs: test(number),
  fakeThrowAfterProcessingTxCount: test(number),
  skipCollectingAttestations: test(boolean),
  skipInvalidateBlockAsProposer: test(boolean),
  skipWaitForValidParentCheckpointOnL1: test(boolean, SVC),
  broadcastInvalidBlockProposal: test(boolean, OFF),
  invalidBlockProposalIndexWithinCheckpoint: test(number, SVC),
  broadcastInvalidCheckpointProposalOnly: test(boolean, SVC),
  injectFakeAttestation: test(boolean, OFF),
  injectHighSValueAttestation: test(boolean, OFF),
  injectUnrecoverableSignatureAttestation: test(boolean, OFF),
  shuffleAttestationOrdering: test(boolean, OFF),
  skipBroadcastProposals: test(boolean, SVC),
  skipBroadcastCheckpointProposal: test(boolean, SVC),
  pauseProposingForSlots: test(numbers, SVC),

  nodeUrl: prover(text()),
  realProofs: prover(boolean, { default: true }),
  proverId: prover(l1Address),
  proverTestDelayType: prover(oneOf(["fixed", "realistic"]), { default: "fixed" }),
  proverTestDelayMs: prover(number, { default: 0 }),
  proverTestDelayFactor: prover(number, { default: 1 }),
  proverAgentCount: prover(number, { default: 1 }),
  proofStore: prover(text()),
  failedProofStore: prover(text()),
  cancelJobsOnStop: prover(boolean, OFF),
  enqueueConcurrency: prover(number, { default: 50 }),

  slashOverridePayload: slasher(l1Address),
  slashMinPenaltyPercentage: slasher(number, { default: 0.5, ...NODE }),
  slashMaxPenaltyPercentage: slasher(number, { default: 2, ...NODE }),
  slashValidatorsAlways: slasher(l1Addresses, { default: [] }),
  slashValidatorsNever: slasher(l1Addresses, { default: [] }),
  slashPrunePenalty: slasher(amount, { ...PENALTY, ...NODE }),
  slashDataWithholdingPenalty: slasher(amount, PENALTY),
  slashDataWithholdingToleranceSlots: slasher(number, { default: 3, ...SVC }),
  slashInactivityTargetPercentage: slasher(numberAbove(0, 1), { default: 0.9 }),
  slashInactivityConsecutiveEpochThreshold: slasher(numberFrom(1), { default: 1 }),
  slashInactivityPenalty: slasher(amount, PENALTY),
  slashProposeInvalidAttestationsPenalty: slasher(amount, PENALTY),
  slashProposeDescendantOfCheckpointWithInvalidAttestationsPenalty: slasher(amount, { default: 0n, ...SVC }),
  slashDuplicateProposalPenalty: slasher(amount, { default: 0n }),
  slashDuplicateAttestationPenalty: slasher(amount, { default: 0n }),
  slashAttestDescendantOfInvalidPenalty: slasher(amount, { ...PENALTY, ...NODE }),
  slashAttestInvalidCheckpointProposalPenalty: slasher(amount, { default: 0n, ...SVC }),
  slashUnknownPenalty: slasher(amount, PENALTY),
  slashBroadcastedInvalidBlockPenalty: slasher(amount, PENALTY),
  slashBroadcastedInvalidCheckpointProposalPenalty: slasher(amount, { default: 0n, ...SVC }),
  slashOffenseExpirationRounds: slasher(number, { default: 4 }),
  slashMaxPayloadSize: slasher(number, { default: 50 }),
  slashGracePeriodL2Slots: slasher(number, { default: 0 }),
  slashExecuteRoundsLookBack: slasher(number, { default: 4 }),
  slashSelfAllowed: slasher(boolean, OFF),

  haSigningEnabled: ha(boolean, OFF),
  nodeId: ha(text(), { default: "" }),
  pollingIntervalMs: ha(number, { default: 100 }),
  signingTimeoutMs: ha(number, { default: 3000 }),
  maxStuckDutiesAgeMs: ha(number),
  cleanupOldDutiesAfterHours: ha(number),
  databaseUrl: ha(text(), { secret: true }),
  poolMaxCount: ha(number, { default: 10 }),
  poolMinCount: ha(number, { default: 0 }),
  poolIdleTimeoutMs: ha(number, { default: 10_000 }),
  poolConnectionTimeoutMs: ha(number, { default: 0 }),

  validatorAddresses: validator(l1Addresses),
  disableValidator: validator(boolean, OFF),
  disabledValidators: validator(l1Addresses, { default: [] }),
  attestationPollingIntervalMs: validator(number, { default: 200 }),
  validatorReexecute: validator(boolean, { default: true, ...NODE }),
  alwaysReexecuteBlockProposals: validator(boolean, { default: true }),
  skipCheckpointProposalValidation: validator(boolean, OFF),
  skipProposalSlotValidation: validator(boolean, SVC),
  attestToEquivocatedProposals: validator(boolean, OFF),
  validateMaxL2BlockGas: validator(number),
  validateMaxDABlockGas: validator(number),
  validateMaxTxsPerBlock: validator(number),
  validateMaxTxsPerCheckpoint: validator(number),
  disableTransactions: validator(boolean, OFF),
  maxGossipClockDisparityMs: validator(number, SVC),
  l1ChainId: validator(wholeFrom(1), SVC),

  archiverPollingIntervalMS: inGroup("archiver")(wholeFrom(1, MOST_MILLISECONDS), { default: 500 }),
  archiverBatchSize: inGroup("archiver")(wholeFrom(1), { default: 100 }),
  skipValidateCheckpointAttestations: inGroup("archiver")(boolean, OFF),
  maxPendingTxCount: inGroup("pool")(number, { default: 1000 }),
  skipIncomingProposals: inGroup("pool")(boolean, SVC),
  preferredPeers: inGroup("pool")(texts, SVC),
};

export type ConfigKeyName = keyof typeof CONFIG_KEYS;
type ValueOf<K> = K extends ConfigKey<infer T> ? T : never;
/** Values by key; an absent key is unset. */
export type ConfigValues = { readonly [K in ConfigKeyName]?: ValueOf<(typeof CONFIG_KEYS)[K]> };

const NAMES = Object.keys(CONFIG_KEYS) as ConfigKeyName[];

/** Names of the keys of one generation of the API. */
export function configKeysOf(generation: "node" | "svc"): ConfigKeyName[] {
  return NAMES.filter((name) => {
    const { only } = CONFIG_KEYS[name] as ConfigKey;
    return only === undefined || only === generation;
  });
}

export function configDefaults(): ConfigValues {
  return Object.fromEntries(
    NAMES.map((name) => [name, (CONFIG_KEYS[name] as ConfigKey).default]).filter(([, value]) => value !== undefined),
  );
}
