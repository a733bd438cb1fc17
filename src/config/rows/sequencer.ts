import { boolean, listOf, secret } from "../kinds.ts";
import {
  decimal,
  integer,
  integerAnyBase,
  MAX_COUNT,
  MAX_GAS,
  MAX_MILLISECONDS,
  MAX_SECONDS,
} from "../number-kinds.ts";
import { rowsOf } from "../option.ts";
import { l1Address, l2Address, privateKey } from "../protocol-kinds.ts";

const rows = rowsOf("Sequencer", "sequencer");

export const sequencer = {
  sequencerPollingIntervalMS: rows.withDefault(
    {
      flags: ["--sequencer.sequencerPollingIntervalMS"],
      env: ["SEQ_POLLING_INTERVAL_MS"],
      kind: integer(1, MAX_MILLISECONDS),
      meaning: "interval of the sequencer's main loop, in ms",
    },
    500,
  ),
  maxTxsPerCheckpoint: rows.optional({
    flags: ["--maxTxsPerCheckpoint", "--sequencer.maxTxsPerCheckpoint"],
    env: ["SEQ_MAX_TX_PER_CHECKPOINT"],
    kind: integerAnyBase(1, MAX_COUNT),
    meaning: "proposer: maximum txs per checkpoint",
  }),
  minTxsPerBlock: rows.withDefault(
    {
      flags: ["--sequencer.minTxsPerBlock"],
      env: ["SEQ_MIN_TX_PER_BLOCK"],
      kind: integer(0, MAX_COUNT),
      meaning: "proposer: minimum pending txs to build a block",
    },
    1,
  ),
  minValidTxsPerBlock: rows.optional({
    flags: ["--sequencer.minValidTxsPerBlock"],
    kind: integerAnyBase(0, MAX_COUNT),
    meaning: "proposer: minimum txs in a block that remain valid after execution; unset means minTxsPerBlock",
  }),
  publishTxsWithProposals: rows.withDefault(
    {
      flags: ["--sequencer.publishTxsWithProposals"],
      env: ["SEQ_PUBLISH_TXS_WITH_PROPOSALS"],
      kind: boolean,
      meaning: "include full txs in block proposals",
      usedBy: "validator",
    },
    false,
  ),
  maxL2BlockGas: rows.optional({
    flags: ["--maxL2BlockGas", "--sequencer.maxL2BlockGas"],
    env: ["SEQ_MAX_L2_BLOCK_GAS"],
    kind: integerAnyBase(0, MAX_GAS),
    meaning: "proposer: maximum L2 gas per block, capped at the checkpoint limit",
  }),
  maxDABlockGas: rows.optional({
    flags: ["--maxDABlockGas", "--sequencer.maxDABlockGas"],
    env: ["SEQ_MAX_DA_BLOCK_GAS"],
    kind: integerAnyBase(0, MAX_GAS),
    meaning: "proposer: maximum DA gas per block, capped at the checkpoint limit",
  }),
  perBlockAllocationMultiplier: rows.withDefault(
    {
      flags: ["--perBlockAllocationMultiplier", "--sequencer.perBlockAllocationMultiplier"],
      env: ["SEQ_PER_BLOCK_ALLOCATION_MULTIPLIER"],
      kind: decimal(0, 1000),
      meaning: "a block may use this multiple of its equal share of the checkpoint's gas and tx limits",
    },
    2,
  ),
  coinbase: rows.optional({
    flags: ["--sequencer.coinbase"],
    env: ["COINBASE"],
    kind: l1Address,
    meaning: "L1 address that receives block rewards",
  }),
  feeRecipient: rows.optional({
    flags: ["--sequencer.feeRecipient"],
    env: ["FEE_RECIPIENT"],
    kind: l2Address,
    meaning: "L2 address that receives tx fees",
  }),
  enforceTimeTable: rows.withDefault(
    {
      flags: ["--sequencer.enforceTimeTable"],
      env: ["SEQ_ENFORCE_TIME_TABLE"],
      kind: boolean,
      meaning: "enforce the slot's timetable",
    },
    true,
  ),
  governanceProposerPayload: rows.optional({
    flags: ["--sequencer.governanceProposerPayload"],
    env: ["GOVERNANCE_PROPOSER_PAYLOAD_ADDRESS"],
    kind: l1Address,
    meaning: "address of the governance payload to signal for",
  }),
  l1PublishingTime: rows.optional({
    flags: ["--sequencer.l1PublishingTime"],
    env: ["SEQ_L1_PUBLISHING_TIME_ALLOWANCE_IN_SLOT"],
    kind: integerAnyBase(0, MAX_SECONDS),
    meaning: "seconds of the slot reserved for publishing to L1",
  }),
  attestationPropagationTime: rows.withDefault(
    {
      flags: ["--sequencer.attestationPropagationTime"],
      env: ["SEQ_ATTESTATION_PROPAGATION_TIME"],
      kind: integer(0, MAX_SECONDS),
      meaning: "one-way message latency between peers, in seconds",
    },
    2,
  ),
  secondsBeforeInvalidatingBlockAsCommitteeMember: rows.withDefault(
    {
      flags: ["--sequencer.secondsBeforeInvalidatingBlockAsCommitteeMember"],
      env: ["SEQ_SECONDS_BEFORE_INVALIDATING_BLOCK_AS_COMMITTEE_MEMBER"],
      kind: integer(0, MAX_SECONDS),
      meaning: "seconds after which a committee member invalidates a bad checkpoint",
    },
    144,
  ),
  secondsBeforeInvalidatingBlockAsNonCommitteeMember: rows.withDefault(
    {
      flags: ["--sequencer.secondsBeforeInvalidatingBlockAsNonCommitteeMember"],
      env: ["SEQ_SECONDS_BEFORE_INVALIDATING_BLOCK_AS_NON_COMMITTEE_MEMBER"],
      kind: integer(0, MAX_SECONDS),
      meaning: "seconds after which anyone else invalidates a bad checkpoint",
    },
    432,
  ),
  broadcastInvalidBlockProposal: rows.withDefault(
    {
      flags: ["--sequencer.broadcastInvalidBlockProposal"],
      kind: boolean,
      meaning: "for tests: propose an invalid block",
      usedBy: "validator",
      refused: "this node has no faults for tests",
    },
    false,
  ),
  injectFakeAttestation: rows.withDefault(
    {
      flags: ["--sequencer.injectFakeAttestation"],
      kind: boolean,
      meaning: "for tests: publish a fake attestation",
      usedBy: "validator",
      refused: "this node has no faults for tests",
    },
    false,
  ),
  injectHighSValueAttestation: rows.withDefault(
    {
      flags: ["--sequencer.injectHighSValueAttestation"],
      kind: boolean,
      meaning: "for tests: publish an attestation whose signature has a high s value",
      usedBy: "validator",
      refused: "this node has no faults for tests",
    },
    false,
  ),
  injectUnrecoverableSignatureAttestation: rows.withDefault(
    {
      flags: ["--sequencer.injectUnrecoverableSignatureAttestation"],
      kind: boolean,
      meaning: "for tests: publish an attestation whose signer cannot be recovered",
      usedBy: "validator",
      refused: "this node has no faults for tests",
    },
    false,
  ),
  shuffleAttestationOrdering: rows.withDefault(
    {
      flags: ["--sequencer.shuffleAttestationOrdering"],
      kind: boolean,
      meaning: "for tests: publish attestations out of order",
      usedBy: "validator",
      refused: "this node has no faults for tests",
    },
    false,
  ),
  blockDurationMs: rows.optional({
    flags: ["--sequencer.blockDurationMs", "--p2p.blockDurationMs"],
    env: ["SEQ_BLOCK_DURATION_MS"],
    kind: integerAnyBase(1, MAX_MILLISECONDS),
    meaning: "time per block within a slot, in ms; unset means one block per slot",
    usedBy: "rpc",
  }),
  expectedBlockProposalsPerSlot: rows.withDefault(
    {
      flags: ["--sequencer.expectedBlockProposalsPerSlot", "--p2p.expectedBlockProposalsPerSlot"],
      env: ["SEQ_EXPECTED_BLOCK_PROPOSALS_PER_SLOT"],
      kind: integer(0, MAX_COUNT),
      meaning: "block proposals per slot expected by gossip scoring, 0 to disable that score",
      usedBy: "p2p",
    },
    0,
  ),
  maxTxsPerBlock: rows.optional({
    flags: ["--sequencer.maxTxsPerBlock", "--p2p.maxTxsPerBlock"],
    kind: integerAnyBase(1, MAX_COUNT),
    meaning: "proposer and gossip: maximum txs per block",
  }),
  buildCheckpointIfEmpty: rows.withDefault(
    {
      flags: ["--sequencer.buildCheckpointIfEmpty"],
      env: ["SEQ_BUILD_CHECKPOINT_IF_EMPTY"],
      kind: boolean,
      meaning: "publish a checkpoint even without txs",
    },
    false,
  ),
  minBlocksForCheckpoint: rows.optional({
    flags: ["--sequencer.minBlocksForCheckpoint"],
    kind: integerAnyBase(1, MAX_COUNT),
    meaning: "for tests: minimum blocks in a checkpoint",
  }),
  skipPublishingCheckpointsPercent: rows.withDefault(
    {
      flags: ["--sequencer.skipPublishingCheckpointsPercent"],
      env: ["SEQ_SKIP_CHECKPOINT_PUBLISH_PERCENT"],
      kind: integer(0, 100),
      meaning: "for tests: probability that a checkpoint is not published, in percent",
      usedBy: "test server",
    },
    0,
  ),
  sequencerPublisherPrivateKeys: rows.optional({
    flags: ["--sequencer.sequencerPublisherPrivateKeys"],
    env: ["SEQ_PUBLISHER_PRIVATE_KEYS", "SEQ_PUBLISHER_PRIVATE_KEY"],
    kind: secret(listOf(privateKey)),
    meaning: "private keys of the L1 publisher accounts",
  }),
  sequencerPublisherAddresses: rows.withDefault(
    {
      flags: ["--sequencer.sequencerPublisherAddresses"],
      env: ["SEQ_PUBLISHER_ADDRESSES"],
      kind: listOf(l1Address),
      meaning: "addresses of the L1 publisher accounts held by the remote signer",
    },
    [],
  ),
  sequencerPublisherAllowInvalidStates: rows.withDefault(
    {
      flags: ["--sequencer.sequencerPublisherAllowInvalidStates"],
      env: ["SEQ_PUBLISHER_ALLOW_INVALID_STATES"],
      kind: boolean,
      meaning: "use a busy publisher if none is idle",
    },
    true,
  ),
  sequencerPublisherForwarderAddress: rows.optional({
    flags: ["--sequencer.sequencerPublisherForwarderAddress"],
    env: ["SEQ_PUBLISHER_FORWARDER_ADDRESS"],
    kind: l1Address,
    meaning: "for tests: contract that forwards all L1 txs",
  }),
};
