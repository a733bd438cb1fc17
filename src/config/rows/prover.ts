import { boolean, listOf, oneOf, path, secret, text } from "../kinds.ts";
import {
  decimal,
  integer,
  integerAnyBase,
  MOST_AT_ONCE,
  MOST_COUNT,
  MOST_KIBIBYTES,
  MOST_MILLISECONDS,
} from "../number-kinds.ts";
import { rowsOf } from "../option.ts";
import { l1Address, privateKey } from "../protocol-kinds.ts";
import { httpUrl, writableStore } from "../url-kinds.ts";

const proverRows = rowsOf("Prover", "prover");

export const prover = {
  acvmWorkingDirectory: proverRows.optional({
    flags: ["--sequencer.acvmWorkingDirectory", "--proverNode.acvmWorkingDirectory"],
    env: ["ACVM_WORKING_DIRECTORY"],
    kind: path,
    meaning: "folder of the external circuit simulator",
  }),
  acvmBinaryPath: proverRows.optional({
    flags: ["--sequencer.acvmBinaryPath", "--proverNode.acvmBinaryPath"],
    env: ["ACVM_BINARY_PATH"],
    kind: path,
    meaning: "binary of the external circuit simulator",
  }),
  bbWorkingDirectory: proverRows.optional({
    flags: ["--proverNode.bbWorkingDirectory"],
    env: ["BB_WORKING_DIRECTORY"],
    kind: path,
    meaning: "working directory of the external proving tool",
    usedBy: "mempool",
  }),
  bbBinaryPath: proverRows.optional({
    flags: ["--proverNode.bbBinaryPath"],
    env: ["BB_BINARY_PATH"],
    kind: path,
    meaning: "binary of the external proving tool",
    usedBy: "mempool",
  }),
  bbSkipCleanup: proverRows.withDefault(
    {
      flags: ["--proverNode.bbSkipCleanup"],
      env: ["BB_SKIP_CLEANUP"],
      kind: boolean,
      meaning: "keep temporary proving files",
      usedBy: "mempool",
    },
    false,
  ),
  numConcurrentIVCVerifiers: proverRows.withDefault(
    {
      flags: ["--proverNode.numConcurrentIVCVerifiers"],
      env: ["BB_NUM_IVC_VERIFIERS"],
      kind: integer(1, MOST_AT_ONCE),
      meaning: "client proofs verified at once",
      usedBy: "mempool",
    },
    8,
  ),
  bbIVCConcurrency: proverRows.withDefault(
    {
      flags: ["--proverNode.bbIVCConcurrency"],
      env: ["BB_IVC_CONCURRENCY"],
      kind: integer(1, MOST_AT_ONCE),
      meaning: "threads of one verification",
      usedBy: "mempool",
    },
    1,
  ),
  proverId: proverRows.optional({
    flags: ["--proverNode.proverId"],
    env: ["PROVER_ID"],
    kind: l1Address,
    meaning: "id in proofs; unset means the publisher address",
  }),
  failedProofStore: proverRows.optional({
    flags: ["--proverNode.failedProofStore"],
    env: ["PROVER_FAILED_PROOF_STORE"],
    kind: writableStore,
    meaning: "store for the inputs of failed proofs",
  }),
  enqueueConcurrency: proverRows.withDefault(
    {
      flags: ["--proverNode.enqueueConcurrency"],
      env: ["PROVER_ENQUEUE_CONCURRENCY"],
      kind: integer(1, MOST_AT_ONCE),
      meaning: "jobs handed to the broker at once",
    },
    50,
  ),
  proverPublisherAllowInvalidStates: proverRows.withDefault(
    {
      flags: ["--proverNode.proverPublisherAllowInvalidStates"],
      env: ["PROVER_PUBLISHER_ALLOW_INVALID_STATES"],
      kind: boolean,
      meaning: "use busy publishers when no idle one exists",
    },
    true,
  ),
  proverPublisherForwarderAddress: proverRows.optional({
    flags: ["--proverNode.proverPublisherForwarderAddress"],
    env: ["PROVER_PUBLISHER_FORWARDER_ADDRESS"],
    kind: l1Address,
    meaning: "for tests: contract that all L1 txs go through",
  }),
  proverPublisherPrivateKeys: proverRows.optional({
    flags: ["--proverNode.proverPublisherPrivateKeys"],
    env: ["PROVER_PUBLISHER_PRIVATE_KEYS", "PROVER_PUBLISHER_PRIVATE_KEY"],
    kind: secret(listOf(privateKey)),
    meaning: "keys for proof submission",
  }),
  proverPublisherAddresses: proverRows.withDefault(
    {
      flags: ["--proverNode.proverPublisherAddresses"],
      env: ["PROVER_PUBLISHER_ADDRESSES"],
      kind: listOf(l1Address),
      meaning: "L1 publisher addresses on the remote signer",
    },
    [],
  ),
  proverNodeMaxPendingJobs: proverRows.withDefault(
    {
      flags: ["--proverNode.proverNodeMaxPendingJobs"],
      env: ["PROVER_NODE_MAX_PENDING_JOBS"],
      kind: integer(1, MOST_AT_ONCE),
      meaning: "most epochs in proving at once",
    },
    10,
  ),
  proverNodePollingIntervalMs: proverRows.withDefault(
    {
      flags: ["--proverNode.proverNodePollingIntervalMs"],
      env: ["PROVER_NODE_POLLING_INTERVAL_MS"],
      kind: integer(1, MOST_MILLISECONDS),
      meaning: "pause between two looks for a finished epoch, in ms",
    },
    1000,
  ),
  proverNodeMaxParallelBlocksPerEpoch: proverRows.withDefault(
    {
      flags: ["--proverNode.proverNodeMaxParallelBlocksPerEpoch"],
      env: ["PROVER_NODE_MAX_PARALLEL_BLOCKS_PER_EPOCH"],
      kind: integer(0, MOST_AT_ONCE),
      meaning: "checkpoints of an epoch proven at once, 0 chooses",
    },
    0,
  ),
  proverNodeFailedEpochStore: proverRows.optional({
    flags: ["--proverNode.proverNodeFailedEpochStore"],
    env: ["PROVER_NODE_FAILED_EPOCH_STORE"],
    kind: writableStore,
    meaning: "store for the state of epochs that failed to prove",
  }),
  proverNodeEpochProvingDelayMs: proverRows.optional({
    flags: ["--proverNode.proverNodeEpochProvingDelayMs"],
    kind: integerAnyBase(0, MOST_MILLISECONDS),
    meaning: "wait before an epoch is proven, in ms",
  }),
  txGatheringIntervalMs: proverRows.withDefault(
    {
      flags: ["--proverNode.txGatheringIntervalMs"],
      env: ["PROVER_NODE_TX_GATHERING_INTERVAL_MS"],
      kind: integer(1, MOST_MILLISECONDS),
      meaning: "pause between two looks for missing txs, in ms",
    },
    1000,
  ),
  txGatheringBatchSize: proverRows.withDefault(
    {
      flags: ["--proverNode.txGatheringBatchSize"],
      env: ["PROVER_NODE_TX_GATHERING_BATCH_SIZE"],
      kind: integer(1, MOST_COUNT),
      meaning: "txs per request",
    },
    10,
  ),
  txGatheringMaxParallelRequestsPerNode: proverRows.withDefault(
    {
      flags: ["--proverNode.txGatheringMaxParallelRequestsPerNode"],
      env: ["PROVER_NODE_TX_GATHERING_MAX_PARALLEL_REQUESTS_PER_NODE"],
      kind: integer(1, MOST_AT_ONCE),
      meaning: "requests to one node at once",
    },
    100,
  ),
  txGatheringTimeoutMs: proverRows.withDefault(
    {
      flags: ["--proverNode.txGatheringTimeoutMs"],
      env: ["PROVER_NODE_TX_GATHERING_TIMEOUT_MS"],
      kind: integer(0, MOST_MILLISECONDS),
      meaning: "time after which missing txs are given up, in ms",
    },
    120_000,
  ),
  proverNodeDisableProofPublish: proverRows.withDefault(
    {
      flags: ["--proverNode.proverNodeDisableProofPublish"],
      env: ["PROVER_NODE_DISABLE_PROOF_PUBLISH"],
      kind: boolean,
      meaning: "prove but do not submit",
    },
    false,
  ),
};

const brokerRows = rowsOf("Proving broker", "broker");

export const broker = {
  proverBrokerJobTimeoutMs: brokerRows.withDefault(
    {
      flags: ["--proverBroker.proverBrokerJobTimeoutMs"],
      env: ["PROVER_BROKER_JOB_TIMEOUT_MS"],
      kind: integer(1, MOST_MILLISECONDS),
      meaning: "silence after which a job is given to another agent, in ms",
    },
    30000,
  ),
  proverBrokerPollIntervalMs: brokerRows.withDefault(
    {
      flags: ["--proverBroker.proverBrokerPollIntervalMs"],
      env: ["PROVER_BROKER_POLL_INTERVAL_MS"],
      kind: integer(1, MOST_MILLISECONDS),
      meaning: "pause between two looks at the jobs, in ms",
    },
    1000,
  ),
  proverBrokerJobMaxRetries: brokerRows.withDefault(
    {
      flags: ["--proverBroker.proverBrokerJobMaxRetries"],
      env: ["PROVER_BROKER_JOB_MAX_RETRIES"],
      kind: integer(0, MOST_COUNT),
      meaning: "attempts per job",
    },
    3,
  ),
  proverBrokerBatchSize: brokerRows.withDefault(
    {
      flags: ["--proverBroker.proverBrokerBatchSize"],
      env: ["PROVER_BROKER_BATCH_SIZE"],
      kind: integer(1, MOST_COUNT),
      meaning: "writes to the database in one batch",
    },
    100,
  ),
  proverBrokerBatchIntervalMs: brokerRows.withDefault(
    {
      flags: ["--proverBroker.proverBrokerBatchIntervalMs"],
      env: ["PROVER_BROKER_BATCH_INTERVAL_MS"],
      kind: integer(1, MOST_MILLISECONDS),
      meaning: "longest wait of a batch, in ms",
    },
    50,
  ),
  proverBrokerMaxEpochsToKeepResultsFor: brokerRows.withDefault(
    {
      flags: ["--proverBroker.proverBrokerMaxEpochsToKeepResultsFor"],
      env: ["PROVER_BROKER_MAX_EPOCHS_TO_KEEP_RESULTS_FOR"],
      kind: integer(0, MOST_COUNT),
      meaning: "epochs of results kept",
    },
    1,
  ),
  proverBrokerStoreMapSizeKb: brokerRows.optional({
    flags: ["--proverBroker.proverBrokerStoreMapSizeKb"],
    env: ["PROVER_BROKER_STORE_MAP_SIZE_KB"],
    kind: integer(1024, MOST_KIBIBYTES),
    meaning: "largest size of the broker store in KiB",
  }),
  proverBrokerDebugReplayEnabled: brokerRows.withDefault(
    {
      flags: ["--proverBroker.proverBrokerDebugReplayEnabled"],
      env: ["PROVER_BROKER_DEBUG_REPLAY_ENABLED"],
      kind: boolean,
      meaning: "offer the replay method",
    },
    false,
  ),
};

const agentRows = rowsOf("Proving agents", "agent");

export const agent = {
  proverAgentCount: agentRows.withDefault(
    {
      flags: ["--proverAgent.proverAgentCount"],
      env: ["PROVER_AGENT_COUNT"],
      kind: integer(0, MOST_AT_ONCE),
      meaning: "number of agents",
    },
    1,
  ),
  proverAgentPollIntervalMs: agentRows.withDefault(
    {
      flags: ["--proverAgent.proverAgentPollIntervalMs"],
      env: ["PROVER_AGENT_POLL_INTERVAL_MS"],
      kind: integer(1, MOST_MILLISECONDS),
      meaning: "pause between two questions for a job, in ms",
    },
    1000,
  ),
  proverAgentProofTypes: agentRows.optional({
    flags: ["--proverAgent.proverAgentProofTypes"],
    env: ["PROVER_AGENT_PROOF_TYPES"],
    kind: listOf(text),
    meaning: "kinds of proof to work on; unset means all",
  }),
  proverBrokerUrl: agentRows.optional({
    flags: ["--proverAgent.proverBrokerUrl"],
    env: ["PROVER_BROKER_HOST"],
    kind: httpUrl,
    meaning: "broker to work for, or to hand jobs to",
  }),
  realProofs: agentRows.withDefault(
    {
      flags: ["--proverAgent.realProofs"],
      env: ["PROVER_REAL_PROOFS"],
      kind: boolean,
      meaning: "make and check real proofs; false simulates them",
      usedBy: "rpc",
    },
    true,
  ),
  proverTestDelayType: agentRows.withDefault(
    {
      flags: ["--proverAgent.proverTestDelayType"],
      env: ["PROVER_TEST_DELAY_TYPE"],
      kind: oneOf(["fixed", "realistic"]),
      meaning: "how long simulated proofs take",
    },
    "fixed",
  ),
  proverTestDelayMs: agentRows.withDefault(
    {
      flags: ["--proverAgent.proverTestDelayMs"],
      env: ["PROVER_TEST_DELAY_MS"],
      kind: integer(0, MOST_MILLISECONDS),
      meaning: "duration of simulated proofs, in ms",
    },
    0,
  ),
  proverTestDelayFactor: agentRows.withDefault(
    {
      flags: ["--proverAgent.proverTestDelayFactor"],
      env: ["PROVER_TEST_DELAY_FACTOR"],
      kind: decimal(0, 1000),
      meaning: "scale of realistic durations",
    },
    1,
  ),
  proverTestVerificationDelayMs: agentRows.withDefault(
    {
      flags: ["--proverAgent.proverTestVerificationDelayMs"],
      env: ["PROVER_TEST_VERIFICATION_DELAY_MS"],
      kind: integer(0, MOST_MILLISECONDS),
      meaning: "duration of simulated verification, in ms",
    },
    10,
  ),
  cancelJobsOnStop: agentRows.withDefault(
    {
      flags: ["--proverAgent.cancelJobsOnStop"],
      env: ["PROVER_CANCEL_JOBS_ON_STOP"],
      kind: boolean,
      meaning: "cancel jobs when the prover stops",
    },
    false,
  ),
  proofStore: agentRows.optional({
    flags: ["--proverAgent.proofStore"],
    env: ["PROVER_PROOF_STORE"],
    kind: writableStore,
    meaning: "store for inputs and outputs of proofs",
  }),
};
