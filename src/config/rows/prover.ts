import { boolean, listOf, oneOf, path, secret, text } from "../kinds/kinds.ts";
import {
  decimal,
  integer,
  integerAnyBase,
  MAX_CONCURRENCY,
  MAX_COUNT,
  MAX_KIBIBYTES,
  MAX_MILLISECONDS,
} from "../kinds/number-kinds.ts";
import { rowsOf, UNREAD } from "../kinds/option.ts";
import { l1Address, privateKey } from "../kinds/protocol-kinds.ts";
import { httpUrl, writableStore } from "../kinds/url-kinds.ts";

const proverRows = rowsOf("Prover", "prover");

export const prover = {
  acvmWorkingDirectory: proverRows.optional({
    flags: ["--sequencer.acvmWorkingDirectory", "--proverNode.acvmWorkingDirectory"],
    env: ["ACVM_WORKING_DIRECTORY"],
    kind: path,
    admin: { refused: UNREAD },
    to: ["agents.acvmWorkingDirectory"],
    meaning: "working directory of the external circuit simulator (acvm); unset means that of bb",
    usedBy: "agent",
  }),
  acvmBinaryPath: proverRows.optional({
    flags: ["--sequencer.acvmBinaryPath", "--proverNode.acvmBinaryPath"],
    env: ["ACVM_BINARY_PATH"],
    kind: path,
    admin: { refused: UNREAD },
    to: ["agents.acvmBinaryPath"],
    meaning: "path of the external circuit simulator (acvm); unset means the WebAssembly form of the installed package",
    usedBy: "agent",
  }),
  bbWorkingDirectory: proverRows.optional({
    flags: ["--proverNode.bbWorkingDirectory"],
    env: ["BB_WORKING_DIRECTORY"],
    kind: path,
    to: ["proofs.bbWorkingDirectory"],
    meaning: "working directory of the external prover and verifier (bb)",
    usedBy: "mempool",
  }),
  bbBinaryPath: proverRows.optional({
    flags: ["--proverNode.bbBinaryPath"],
    env: ["BB_BINARY_PATH"],
    kind: path,
    to: ["proofs.bbBinaryPath"],
    meaning: "path of the external prover and verifier (bb)",
    usedBy: "mempool",
  }),
  bbSkipCleanup: proverRows.withDefault(
    {
      flags: ["--proverNode.bbSkipCleanup"],
      env: ["BB_SKIP_CLEANUP"],
      kind: boolean,
      to: ["proofs.bbSkipCleanup"],
      meaning: "keep each checked proof and its key, and the files of each proving job, in bb's working directory",
      usedBy: "mempool",
    },
    false,
  ),
  numConcurrentIVCVerifiers: proverRows.withDefault(
    {
      flags: ["--proverNode.numConcurrentIVCVerifiers"],
      env: ["BB_NUM_IVC_VERIFIERS"],
      kind: integer(1, MAX_CONCURRENCY),
      to: ["proofs.verifier.parallel"],
      meaning: "client proofs verified in parallel",
      usedBy: "mempool",
    },
    8,
  ),
  bbIVCConcurrency: proverRows.withDefault(
    {
      flags: ["--proverNode.bbIVCConcurrency"],
      env: ["BB_IVC_CONCURRENCY"],
      kind: integer(1, MAX_CONCURRENCY),
      to: ["proofs.verifier.threads"],
      meaning: "threads per client proof verification",
      usedBy: "mempool",
    },
    1,
  ),
  proverId: proverRows.optional({
    flags: ["--proverNode.proverId"],
    env: ["PROVER_ID"],
    kind: l1Address,
    admin: {},
    to: ["keys.prover.id"],
    meaning: "prover id in proofs; unset means the publisher address",
  }),
  failedProofStore: proverRows.optional({
    flags: ["--proverNode.failedProofStore"],
    env: ["PROVER_FAILED_PROOF_STORE"],
    kind: writableStore,
    admin: {},
    to: ["prover.failedProofStore"],
    meaning: "store for the inputs of failed proofs",
  }),
  enqueueConcurrency: proverRows.withDefault(
    {
      flags: ["--proverNode.enqueueConcurrency"],
      env: ["PROVER_ENQUEUE_CONCURRENCY"],
      kind: integer(1, MAX_CONCURRENCY),
      admin: {},
      to: ["prover.enqueueConcurrency"],
      meaning: "jobs enqueued at the broker in parallel",
    },
    50,
  ),
  proverPublisherAllowInvalidStates: proverRows.withDefault(
    {
      flags: ["--proverNode.proverPublisherAllowInvalidStates"],
      env: ["PROVER_PUBLISHER_ALLOW_INVALID_STATES"],
      kind: boolean,
      to: ["prover.publisher.allowBusy"],
      meaning: "use a busy publisher if none is idle",
    },
    true,
  ),
  proverPublisherForwarderAddress: proverRows.optional({
    flags: ["--proverNode.proverPublisherForwarderAddress"],
    env: ["PROVER_PUBLISHER_FORWARDER_ADDRESS"],
    kind: l1Address,
    to: ["prover.publisher.forwarder"],
    meaning: "for tests: contract that forwards all L1 txs",
  }),
  proverPublisherPrivateKeys: proverRows.optional({
    flags: ["--proverNode.proverPublisherPrivateKeys"],
    env: ["PROVER_PUBLISHER_PRIVATE_KEYS", "PROVER_PUBLISHER_PRIVATE_KEY"],
    kind: secret(listOf(privateKey)),
    to: ["keys.prover.privateKeys"],
    meaning: "private keys of the L1 accounts that submit proofs",
  }),
  proverPublisherAddresses: proverRows.withDefault(
    {
      flags: ["--proverNode.proverPublisherAddresses"],
      env: ["PROVER_PUBLISHER_ADDRESSES"],
      kind: listOf(l1Address),
      to: ["keys.prover.addresses"],
      meaning: "addresses of the L1 publisher accounts held by the remote signer",
    },
    [],
  ),
  proverNodeMaxPendingJobs: proverRows.withDefault(
    {
      flags: ["--proverNode.proverNodeMaxPendingJobs"],
      env: ["PROVER_NODE_MAX_PENDING_JOBS"],
      kind: integer(1, MAX_CONCURRENCY),
      to: ["prover.maxRuns"],
      meaning: "maximum epochs proven at once",
    },
    10,
  ),
  proverNodePollingIntervalMs: proverRows.withDefault(
    {
      flags: ["--proverNode.proverNodePollingIntervalMs"],
      env: ["PROVER_NODE_POLLING_INTERVAL_MS"],
      kind: integer(1, MAX_MILLISECONDS),
      to: ["prover.pollIntervalMs"],
      meaning: "polling interval for finished epochs, in ms",
    },
    1000,
  ),
  proverNodeMaxParallelBlocksPerEpoch: proverRows.withDefault(
    {
      flags: ["--proverNode.proverNodeMaxParallelBlocksPerEpoch"],
      env: ["PROVER_NODE_MAX_PARALLEL_BLOCKS_PER_EPOCH"],
      kind: integer(0, MAX_CONCURRENCY),
      to: ["prover.parallelCheckpoints"],
      meaning: "checkpoints of an epoch whose blocks are proven in parallel, 0 for all",
    },
    0,
  ),
  proverNodeFailedEpochStore: proverRows.optional({
    flags: ["--proverNode.proverNodeFailedEpochStore"],
    env: ["PROVER_NODE_FAILED_EPOCH_STORE"],
    kind: writableStore,
    to: ["prover.failedEpochStore"],
    meaning: "store for the state of epochs that failed to prove",
  }),
  proverNodeEpochProvingDelayMs: proverRows.optional({
    flags: ["--proverNode.proverNodeEpochProvingDelayMs"],
    kind: integerAnyBase(0, MAX_MILLISECONDS),
    to: ["prover.provingDelayMs"],
    meaning: "delay before an epoch is proven, in ms",
  }),
  txGatheringIntervalMs: proverRows.withDefault(
    {
      flags: ["--proverNode.txGatheringIntervalMs"],
      env: ["PROVER_NODE_TX_GATHERING_INTERVAL_MS"],
      kind: integer(1, MAX_MILLISECONDS),
      to: ["txCollection.txGatheringIntervalMs"],
      meaning: "interval at which a node is asked again for missing txs of an epoch, in ms",
    },
    1000,
  ),
  txGatheringBatchSize: proverRows.withDefault(
    {
      flags: ["--proverNode.txGatheringBatchSize"],
      env: ["PROVER_NODE_TX_GATHERING_BATCH_SIZE"],
      kind: integer(1, MAX_COUNT),
      to: ["txCollection.txGatheringBatchSize"],
      meaning: "txs of an epoch per request to a node",
    },
    10,
  ),
  txGatheringMaxParallelRequestsPerNode: proverRows.withDefault(
    {
      flags: ["--proverNode.txGatheringMaxParallelRequestsPerNode"],
      env: ["PROVER_NODE_TX_GATHERING_MAX_PARALLEL_REQUESTS_PER_NODE"],
      kind: integer(1, MAX_CONCURRENCY),
      to: ["txCollection.txGatheringMaxParallelRequestsPerNode"],
      meaning: "parallel requests to one node for txs of a block of an epoch",
    },
    100,
  ),
  txGatheringTimeoutMs: proverRows.withDefault(
    {
      flags: ["--proverNode.txGatheringTimeoutMs"],
      env: ["PROVER_NODE_TX_GATHERING_TIMEOUT_MS"],
      kind: integer(0, MAX_MILLISECONDS),
      to: ["prover.txTimeoutMs"],
      meaning: "timeout for gathering missing txs, in ms",
    },
    120_000,
  ),
  proverNodeDisableProofPublish: proverRows.withDefault(
    {
      flags: ["--proverNode.proverNodeDisableProofPublish"],
      env: ["PROVER_NODE_DISABLE_PROOF_PUBLISH"],
      kind: boolean,
      to: ["prover.withoutPublishing"],
      meaning: "prove epochs but do not submit the proofs",
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
      kind: integer(1, MAX_MILLISECONDS),
      to: ["broker.jobs.jobTimeoutMs"],
      meaning: "time without a heartbeat from the agent after which its job is reassigned, in ms",
    },
    30000,
  ),
  proverBrokerJobLimitMs: brokerRows.withDefault(
    {
      flags: ["--prover-broker-job-limit"],
      env: ["SVC_PROVER_BROKER_JOB_LIMIT_MS"],
      kind: integer(1, MAX_MILLISECONDS),
      to: ["broker.jobs.jobLimitMs"],
      meaning: "time after which a job is reassigned even if its agent sends heartbeats, in ms",
    },
    3_600_000,
  ),
  proverBrokerPollIntervalMs: brokerRows.withDefault(
    {
      flags: ["--proverBroker.proverBrokerPollIntervalMs"],
      env: ["PROVER_BROKER_POLL_INTERVAL_MS"],
      kind: integer(1, MAX_MILLISECONDS),
      to: ["broker.jobs.pollIntervalMs"],
      meaning: "interval at which jobs are checked, in ms",
    },
    1000,
  ),
  proverBrokerJobMaxRetries: brokerRows.withDefault(
    {
      flags: ["--proverBroker.proverBrokerJobMaxRetries"],
      env: ["PROVER_BROKER_JOB_MAX_RETRIES"],
      kind: integer(0, MAX_COUNT),
      to: ["broker.jobs.maxAttempts"],
      meaning: "maximum attempts per job, timed-out ones included",
    },
    3,
  ),
  proverBrokerBatchSize: brokerRows.withDefault(
    {
      flags: ["--proverBroker.proverBrokerBatchSize"],
      env: ["PROVER_BROKER_BATCH_SIZE"],
      kind: integer(1, MAX_COUNT),
      to: ["broker.store.batchSize"],
      meaning: "database writes per batch",
    },
    100,
  ),
  proverBrokerBatchIntervalMs: brokerRows.withDefault(
    {
      flags: ["--proverBroker.proverBrokerBatchIntervalMs"],
      env: ["PROVER_BROKER_BATCH_INTERVAL_MS"],
      kind: integer(1, MAX_MILLISECONDS),
      to: ["broker.store.batchIntervalMs"],
      meaning: "maximum delay of a batch, in ms",
    },
    50,
  ),
  proverBrokerMaxEpochsToKeepResultsFor: brokerRows.withDefault(
    {
      flags: ["--proverBroker.proverBrokerMaxEpochsToKeepResultsFor"],
      env: ["PROVER_BROKER_MAX_EPOCHS_TO_KEEP_RESULTS_FOR"],
      kind: integer(0, MAX_COUNT),
      to: ["broker.jobs.epochsToKeep"],
      meaning: "epochs for which results are kept",
    },
    1,
  ),
  proverBrokerStoreMapSizeKb: brokerRows.optional({
    flags: ["--proverBroker.proverBrokerStoreMapSizeKb"],
    env: ["PROVER_BROKER_STORE_MAP_SIZE_KB"],
    kind: integer(1024, MAX_KIBIBYTES),
    to: ["broker.store.mapSizeKb"],
    meaning: "maximum size of the store of one epoch's jobs in KiB",
  }),
  proverBrokerDebugReplayEnabled: brokerRows.withDefault(
    {
      flags: ["--proverBroker.proverBrokerDebugReplayEnabled"],
      env: ["PROVER_BROKER_DEBUG_REPLAY_ENABLED"],
      kind: boolean,
      to: ["broker.replay"],
      meaning: "enable the replay method",
    },
    false,
  ),
  proverBrokerApiKey: brokerRows.optional({
    flags: ["--prover-broker-api-key"],
    env: ["SVC_PROVER_BROKER_API_KEY"],
    kind: secret(text),
    to: ["broker.apiKey"],
    meaning: "API key that a broker demands, and that agents and prover nodes of this program send",
  }),
};

const agentRows = rowsOf("Proving agents", "agent");

export const agent = {
  proverAgentCount: agentRows.withDefault(
    {
      flags: ["--proverAgent.proverAgentCount"],
      env: ["PROVER_AGENT_COUNT"],
      kind: integer(0, MAX_CONCURRENCY),
      admin: {},
      to: ["agents.count"],
      meaning: "number of agents to run",
    },
    1,
  ),
  proverAgentPollIntervalMs: agentRows.withDefault(
    {
      flags: ["--proverAgent.proverAgentPollIntervalMs"],
      env: ["PROVER_AGENT_POLL_INTERVAL_MS"],
      kind: integer(1, MAX_MILLISECONDS),
      to: ["agents.pollIntervalMs"],
      meaning: "interval at which an agent requests a job, in ms",
    },
    1000,
  ),
  proverAgentProofTypes: agentRows.optional({
    flags: ["--proverAgent.proverAgentProofTypes"],
    env: ["PROVER_AGENT_PROOF_TYPES"],
    kind: listOf(text),
    to: ["agents.proofTypes"],
    meaning: "names of the job types to work on; unset means all",
  }),
  proverBrokerUrl: agentRows.optional({
    flags: ["--proverAgent.proverBrokerUrl"],
    env: ["PROVER_BROKER_HOST"],
    kind: httpUrl,
    to: ["broker.url"],
    meaning: "URL of the broker that agents get jobs from and provers send jobs to",
  }),
  realProofs: agentRows.withDefault(
    {
      flags: ["--proverAgent.realProofs"],
      env: ["PROVER_REAL_PROOFS"],
      kind: boolean,
      admin: {},
      to: ["proofs.real"],
      meaning: "create and verify real proofs; false means simulated proofs",
      usedBy: "rpc",
    },
    true,
  ),
  proverCircuitsPath: agentRows.optional({
    flags: ["--prover-circuits-path"],
    env: ["SVC_PROVER_CIRCUITS_PATH"],
    kind: path,
    to: ["agents.circuitsPath"],
    meaning: "folder of the published circuits, which real proofs are made of",
  }),
  proverAgentMemoryMb: agentRows.optional({
    flags: ["--prover-agent-memory"],
    env: ["SVC_PROVER_AGENT_MEMORY_MB"],
    kind: integer(1, MAX_COUNT),
    to: ["agents.memoryMb"],
    meaning:
      "memory for the real proofs of all agents of the process in MiB; unset means three quarters of the machine's",
  }),
  proverTestDelayType: agentRows.withDefault(
    {
      flags: ["--proverAgent.proverTestDelayType"],
      env: ["PROVER_TEST_DELAY_TYPE"],
      kind: oneOf(["fixed", "realistic"]),
      admin: {},
      to: ["agents.delay.type"],
      meaning: "how the duration of simulated proofs is chosen",
    },
    "fixed",
  ),
  proverTestDelayMs: agentRows.withDefault(
    {
      flags: ["--proverAgent.proverTestDelayMs"],
      env: ["PROVER_TEST_DELAY_MS"],
      kind: integer(0, MAX_MILLISECONDS),
      admin: {},
      to: ["agents.delay.ms"],
      meaning: "duration of simulated proofs, in ms",
    },
    0,
  ),
  proverTestDelayFactor: agentRows.withDefault(
    {
      flags: ["--proverAgent.proverTestDelayFactor"],
      env: ["PROVER_TEST_DELAY_FACTOR"],
      kind: decimal(0, 1000),
      admin: {},
      to: ["agents.delay.factor"],
      meaning: "factor on realistic durations",
    },
    1,
  ),
  proverTestVerificationDelayMs: agentRows.withDefault(
    {
      flags: ["--proverAgent.proverTestVerificationDelayMs"],
      env: ["PROVER_TEST_VERIFICATION_DELAY_MS"],
      kind: integer(0, MAX_MILLISECONDS),
      to: ["proofs.verifier.delayMs"],
      meaning: "time after which a proof of a transaction is accepted where proofs are simulated, in ms",
      usedBy: "mempool",
    },
    0,
  ),
  cancelJobsOnStop: agentRows.withDefault(
    {
      flags: ["--proverAgent.cancelJobsOnStop"],
      env: ["PROVER_CANCEL_JOBS_ON_STOP"],
      kind: boolean,
      admin: {},
      to: ["prover.cancelJobsOnStop"],
      meaning: "cancel jobs when the prover stops",
      usedBy: "prover",
    },
    false,
  ),
  proofStore: agentRows.optional({
    flags: ["--proverAgent.proofStore"],
    env: ["PROVER_PROOF_STORE"],
    kind: writableStore,
    admin: {},
    to: ["prover.proofStore"],
    meaning: "store for the inputs and outputs of proofs",
  }),
};
