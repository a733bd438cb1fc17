import type { SyncOptions } from "../../archiver/sync-services.ts";
import type { PoolOptions } from "../../mempool/pool/tx-pool.ts";
import type { CheckOptions } from "../../mempool/validation/check-contexts.ts";
import { fromHex } from "../../protocol/bytes.ts";
import type { AllowedSetupCall } from "../../protocol/tx/setup-allow-list.ts";
import type { ConfigKeyName, ConfigValues } from "../../rpc/admin/config/config-keys.ts";
import type { SequencerSettings } from "../../sequencer/settings.ts";
import type { InactivitySettings } from "../../slasher/sentinel/inactivity.ts";
import type { SlasherSettings } from "../../slasher/settings.ts";
import type { ValidatorSettings } from "../../validator/settings.ts";
import type { LivePeerSettings } from "./live-peer-settings.ts";
import { lowerCase } from "./slasher-settings.ts";

/** Settings of the node's parts that can change at run time. */
export interface LiveSettings {
  sync: Pick<SyncOptions, "pollingIntervalMs" | "batchSize">;
  pool: Pick<PoolOptions, "maxPending">;
  checks: CheckOptions;
  sequencer: SequencerSettings;
  p2p: LivePeerSettings;
  sentinel: InactivitySettings;
  slasher: SlasherSettings;
  validator: ValidatorSettings;
}
export type LivePart = keyof LiveSettings;

/** A key that is applied to one part, as settings computed from the whole configuration. */
export type Applied = {
  [P in LivePart]: { readonly part: P; readonly settings: (config: ConfigValues) => Partial<LiveSettings[P]> };
}[LivePart];

/** A key that cannot be changed, with the reason. */
interface Refused {
  readonly refused: string;
}
/** A key of several parts reaches those that the node has. */
export type LiveKey = Applied | readonly Applied[] | Refused;

const atStart = (variable: string): Refused => ({
  refused: `is read at the start only: set ${variable} and start the node again`,
});
const UNREAD: Refused = { refused: "is read by no part of this version" };

type Settings<P extends LivePart> = (config: ConfigValues) => Partial<LiveSettings[P]>;
const sync = (settings: Settings<"sync">): Applied => ({ part: "sync", settings });
const pool = (settings: Settings<"pool">): Applied => ({ part: "pool", settings });
const checks = (settings: Settings<"checks">): Applied => ({ part: "checks", settings });
const p2p = (settings: Settings<"p2p">): Applied => ({ part: "p2p", settings });
const validator = (settings: Settings<"validator">): Applied => ({ part: "validator", settings });
const sequencer = (settings: Settings<"sequencer">): Applied => ({ part: "sequencer", settings });

const sentinel = (settings: Settings<"sentinel">): Applied => ({ part: "sentinel", settings });
const slasher = (settings: Settings<"slasher">): Applied => ({ part: "slasher", settings });

const NEVER_UNCHECKED: Refused = { refused: "this node attests only to what it checked, and once in a slot" };

const validatorGasLimits = checks(({ validateMaxL2BlockGas: l2Gas, validateMaxDABlockGas: daGas }) => ({
  validatorGasLimits: { l2Gas, daGas },
}));

function setupCalls(calls: ConfigValues["txPublicSetupAllowListExtend"] = []): AllowedSetupCall[] {
  return calls.map(({ address, classId, selector, onlySelf, rejectNullMsgSender, calldataLength }) => ({
    ...(address === undefined ? { classId: fromHex(classId ?? "") } : { address: fromHex(address) }),
    selector: fromHex(selector),
    ...(calldataLength === undefined ? {} : { calldataLength }),
    ...(onlySelf ? { onlySelf } : {}),
    ...(rejectNullMsgSender ? { rejectNullMsgSender } : {}),
  }));
}

/** Effect of setConfig on each key: applied immediately, or refused with a reason. */
export const LIVE_KEYS: { readonly [K in ConfigKeyName]: LiveKey } = {
  sequencerPollingIntervalMS: sequencer((c) => ({ pollingIntervalMs: c.sequencerPollingIntervalMS })),
  maxTxsPerBlock: sequencer(({ maxTxsPerBlock }) => ({ maxTxsPerBlock })),
  maxTxsPerCheckpoint: sequencer(({ maxTxsPerCheckpoint }) => ({ maxTxsPerCheckpoint })),
  maxBlocksPerCheckpoint: UNREAD,
  minTxsPerBlock: sequencer(({ minTxsPerBlock }) => ({ minTxsPerBlock })),
  minValidTxsPerBlock: sequencer(({ minValidTxsPerBlock }) => ({ minValidTxsPerBlock })),
  publishTxsWithProposals: validator(({ publishTxsWithProposals }) => ({ sendsTxs: publishTxsWithProposals })),
  maxL2BlockGas: sequencer(({ maxL2BlockGas }) => ({ maxL2BlockGas })),
  maxDABlockGas: sequencer(({ maxDABlockGas }) => ({ maxDABlockGas })),
  perBlockAllocationMultiplier: sequencer(({ perBlockAllocationMultiplier }) => ({ perBlockAllocationMultiplier })),
  perBlockDAAllocationMultiplier: UNREAD,
  redistributeCheckpointBudget: UNREAD,
  coinbase: atStart("COINBASE"),
  feeRecipient: atStart("FEE_RECIPIENT"),
  acvmWorkingDirectory: UNREAD,
  acvmBinaryPath: UNREAD,
  txPublicSetupAllowListExtend: checks((c) => ({ setupAllowList: setupCalls(c.txPublicSetupAllowListExtend) })),
  governanceProposerPayload: sequencer(({ governanceProposerPayload }) => ({ governanceProposerPayload })),
  l1PublishingTime: sequencer(({ l1PublishingTime }) => ({ l1PublishingTime })),
  enforceTimeTable: sequencer(({ enforceTimeTable }) => ({ enforceTimeTable })),
  attestationPropagationTime: sequencer(({ attestationPropagationTime }) => ({ attestationPropagationTime })),
  minBlockDuration: UNREAD,
  checkpointProposalPrepareTime: UNREAD,
  checkpointProposalSyncGraceSeconds: UNREAD,
  secondsBeforeInvalidatingBlockAsCommitteeMember: sequencer((c) => ({
    invalidateAfterAsMember: c.secondsBeforeInvalidatingBlockAsCommitteeMember,
  })),
  secondsBeforeInvalidatingBlockAsNonCommitteeMember: sequencer((c) => ({
    invalidateAfterAsOther: c.secondsBeforeInvalidatingBlockAsNonCommitteeMember,
  })),
  blockDurationMs: sequencer(({ blockDurationMs }) => ({ blockDurationMs })),
  expectedBlockProposalsPerSlot: atStart("SEQ_EXPECTED_BLOCK_PROPOSALS_PER_SLOT"),
  buildCheckpointIfEmpty: sequencer(({ buildCheckpointIfEmpty }) => ({ buildCheckpointIfEmpty })),
  waitForBuildDeadlineOnFinalBlock: UNREAD,
  minBlocksForCheckpoint: sequencer(({ minBlocksForCheckpoint }) => ({ minBlocksForCheckpoint })),
  skipPublishingCheckpointsPercent: UNREAD,
  fishermanMode: atStart("FISHERMAN_MODE"),
  skipPushProposedBlocksToArchiver: p2p((c) => ({ storesProposedBlocks: !c.skipPushProposedBlocksToArchiver })),

  fakeProcessingDelayPerTxMs: UNREAD,
  fakeThrowAfterProcessingTxCount: UNREAD,
  skipCollectingAttestations: UNREAD,
  skipInvalidateBlockAsProposer: UNREAD,
  skipWaitForValidParentCheckpointOnL1: UNREAD,
  broadcastInvalidBlockProposal: UNREAD,
  invalidBlockProposalIndexWithinCheckpoint: UNREAD,
  broadcastInvalidCheckpointProposalOnly: UNREAD,
  injectFakeAttestation: UNREAD,
  injectHighSValueAttestation: UNREAD,
  injectUnrecoverableSignatureAttestation: UNREAD,
  shuffleAttestationOrdering: UNREAD,
  skipBroadcastProposals: UNREAD,
  skipBroadcastCheckpointProposal: UNREAD,
  pauseProposingForSlots: UNREAD,

  nodeUrl: atStart("AZTEC_NODE_URL"),
  realProofs: atStart("PROVER_REAL_PROOFS"),
  proverId: atStart("PROVER_ID"),
  proverTestDelayType: atStart("PROVER_TEST_DELAY_TYPE"),
  proverTestDelayMs: atStart("PROVER_TEST_DELAY_MS"),
  proverTestDelayFactor: atStart("PROVER_TEST_DELAY_FACTOR"),
  proverAgentCount: atStart("PROVER_AGENT_COUNT"),
  proofStore: atStart("PROVER_PROOF_STORE"),
  failedProofStore: atStart("PROVER_FAILED_PROOF_STORE"),
  cancelJobsOnStop: atStart("PROVER_CANCEL_JOBS_ON_STOP"),
  enqueueConcurrency: atStart("PROVER_ENQUEUE_CONCURRENCY"),

  slashOverridePayload: slasher((c) => ({ overridePayload: c.slashOverridePayload?.toLowerCase() })),
  slashMinPenaltyPercentage: slasher((c) => ({ minPenaltyPercentage: c.slashMinPenaltyPercentage })),
  slashMaxPenaltyPercentage: slasher((c) => ({ maxPenaltyPercentage: c.slashMaxPenaltyPercentage })),
  slashValidatorsAlways: slasher((c) => ({ validatorsAlways: lowerCase(c.slashValidatorsAlways ?? []) })),
  slashValidatorsNever: slasher((c) => ({ validatorsNever: lowerCase(c.slashValidatorsNever ?? []) })),
  slashPrunePenalty: slasher((c) => ({ prunePenalty: c.slashPrunePenalty })),
  slashDataWithholdingPenalty: slasher((c) => ({ dataWithholdingPenalty: c.slashDataWithholdingPenalty })),
  slashDataWithholdingToleranceSlots: UNREAD,
  slashInactivityTargetPercentage: sentinel((c) => ({ targetPercentage: c.slashInactivityTargetPercentage })),
  slashInactivityConsecutiveEpochThreshold: sentinel((c) => ({
    consecutiveEpochs: c.slashInactivityConsecutiveEpochThreshold,
  })),
  slashInactivityPenalty: sentinel((c) => ({ penalty: c.slashInactivityPenalty })),
  slashProposeInvalidAttestationsPenalty: slasher((c) => ({
    proposeInvalidAttestationsPenalty: c.slashProposeInvalidAttestationsPenalty,
  })),
  slashProposeDescendantOfCheckpointWithInvalidAttestationsPenalty: UNREAD,
  slashDuplicateProposalPenalty: slasher((c) => ({ duplicateProposalPenalty: c.slashDuplicateProposalPenalty })),
  slashDuplicateAttestationPenalty: slasher((c) => ({
    duplicateAttestationPenalty: c.slashDuplicateAttestationPenalty,
  })),
  slashAttestDescendantOfInvalidPenalty: slasher((c) => ({
    attestDescendantOfInvalidPenalty: c.slashAttestDescendantOfInvalidPenalty,
  })),
  slashAttestInvalidCheckpointProposalPenalty: UNREAD,
  slashUnknownPenalty: slasher((c) => ({ unknownPenalty: c.slashUnknownPenalty })),
  slashBroadcastedInvalidBlockPenalty: slasher((c) => ({
    broadcastedInvalidBlockPenalty: c.slashBroadcastedInvalidBlockPenalty,
  })),
  slashBroadcastedInvalidCheckpointProposalPenalty: UNREAD,
  slashOffenseExpirationRounds: slasher((c) => ({ offenseExpirationRounds: c.slashOffenseExpirationRounds })),
  slashMaxPayloadSize: slasher((c) => ({ maxPayloadSize: c.slashMaxPayloadSize })),
  slashGracePeriodL2Slots: slasher((c) => ({ gracePeriodL2Slots: c.slashGracePeriodL2Slots })),
  slashExecuteRoundsLookBack: slasher((c) => ({ executeRoundsLookBack: c.slashExecuteRoundsLookBack })),
  slashSelfAllowed: slasher((c) => ({ selfAllowed: c.slashSelfAllowed })),

  haSigningEnabled: atStart("VALIDATOR_HA_SIGNING_ENABLED"),
  nodeId: atStart("VALIDATOR_HA_NODE_ID"),
  pollingIntervalMs: atStart("VALIDATOR_HA_POLLING_INTERVAL_MS"),
  signingTimeoutMs: atStart("VALIDATOR_HA_SIGNING_TIMEOUT_MS"),
  maxStuckDutiesAgeMs: atStart("VALIDATOR_HA_MAX_STUCK_DUTIES_AGE_MS"),
  cleanupOldDutiesAfterHours: atStart("VALIDATOR_HA_OLD_DUTIES_MAX_AGE_H"),
  databaseUrl: atStart("VALIDATOR_HA_DATABASE_URL"),
  poolMaxCount: atStart("VALIDATOR_HA_POOL_MAX"),
  poolMinCount: atStart("VALIDATOR_HA_POOL_MIN"),
  poolIdleTimeoutMs: atStart("VALIDATOR_HA_POOL_IDLE_TIMEOUT_MS"),
  poolConnectionTimeoutMs: atStart("VALIDATOR_HA_POOL_CONNECTION_TIMEOUT_MS"),

  validatorAddresses: atStart("VALIDATOR_ADDRESSES"),
  disableValidator: atStart("VALIDATOR_DISABLED"),
  disabledValidators: [
    sequencer(({ disabledValidators }) => ({ disabledValidators })),
    validator(({ disabledValidators: disabled }) => ({ disabled })),
  ],
  attestationPollingIntervalMs: validator((c) => ({ pollingIntervalMs: c.attestationPollingIntervalMs })),
  validatorReexecute: validator((c) => ({ reexecutes: c.validatorReexecute })),
  alwaysReexecuteBlockProposals: p2p((c) => ({ reexecutes: c.alwaysReexecuteBlockProposals })),
  skipCheckpointProposalValidation: NEVER_UNCHECKED,
  skipProposalSlotValidation: NEVER_UNCHECKED,
  attestToEquivocatedProposals: NEVER_UNCHECKED,
  validateMaxL2BlockGas: validatorGasLimits,
  validateMaxDABlockGas: validatorGasLimits,
  validateMaxTxsPerBlock: atStart("VALIDATOR_MAX_TX_PER_BLOCK"),
  validateMaxTxsPerCheckpoint: atStart("VALIDATOR_MAX_TX_PER_CHECKPOINT"),
  disableTransactions: checks(({ disableTransactions }) => ({ permitted: !disableTransactions })),
  maxGossipClockDisparityMs: UNREAD,
  l1ChainId: atStart("L1_CHAIN_ID"),

  archiverPollingIntervalMS: sync((c) => ({ pollingIntervalMs: c.archiverPollingIntervalMS })),
  archiverBatchSize: sync((c) => ({ batchSize: c.archiverBatchSize })),
  skipValidateCheckpointAttestations: UNREAD,
  maxPendingTxCount: pool(({ maxPendingTxCount }) => ({ maxPending: maxPendingTxCount })),
  skipIncomingProposals: p2p(({ skipIncomingProposals }) => ({ skipProposals: skipIncomingProposals })),
  preferredPeers: atStart("P2P_PREFERRED_PEERS"),
};
