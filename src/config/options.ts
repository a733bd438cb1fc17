import {
  boolean,
  byPosition,
  byteSize,
  integer,
  l1Address,
  l2Address,
  listOf,
  oneOf,
  path,
  rollupVersion,
  secret,
  switchOn,
  text,
  url,
} from "./kinds.ts";
import { optional, type ValueOf, withDefault } from "./option.ts";

/** Networks of sheet 09 section 2.3. */
export const NETWORKS = [
  "local",
  "staging-ignition",
  "staging-public",
  "testnet",
  "alpha-testnet",
  "mainnet",
  "next-net",
  "devnet",
] as const;

/** 0 lets the system choose. */
const port = integer(0, 65535);
const httpUrl = url("http", "https");
const readableStore = url("file", "http", "https", "s3", "gs");

const modes = {
  node: withDefault({ group: "Modes", flags: ["--node"], kind: switchOn, meaning: "run a node" }, false),
  sequencer: withDefault(
    { group: "Modes", flags: ["--sequencer"], kind: switchOn, meaning: "also build and attest blocks", unused: true },
    false,
  ),
  proverNode: withDefault(
    { group: "Modes", flags: ["--prover-node"], kind: switchOn, meaning: "also prove epochs", unused: true },
    false,
  ),
  localNetwork: withDefault(
    { group: "Modes", flags: ["--local-network"], kind: switchOn, meaning: "development network", unused: true },
    false,
  ),
  archiver: withDefault(
    { group: "Modes", flags: ["--archiver"], kind: switchOn, meaning: "run only an archiver", unused: true },
    false,
  ),
  p2pBootstrap: withDefault(
    { group: "Modes", flags: ["--p2p-bootstrap"], kind: switchOn, meaning: "run only a bootnode", unused: true },
    false,
  ),
  proverAgent: withDefault(
    { group: "Modes", flags: ["--prover-agent"], kind: switchOn, meaning: "run only proving agents", unused: true },
    false,
  ),
  proverBroker: withDefault(
    { group: "Modes", flags: ["--prover-broker"], kind: switchOn, meaning: "run only a proving broker", unused: true },
    false,
  ),
  bot: withDefault(
    { group: "Modes", flags: ["--bot"], kind: switchOn, meaning: "run a transaction bot", unused: true },
    false,
  ),
  txe: withDefault(
    { group: "Modes", flags: ["--txe"], kind: switchOn, meaning: "run a test server", unused: true },
    false,
  ),
};

const general = {
  network: withDefault(
    { group: "General", flags: ["--network"], env: ["NETWORK"], kind: oneOf(NETWORKS), meaning: "network to follow" },
    "local",
  ),
};

const rpc = {
  port: withDefault(
    {
      group: "RPC",
      flags: ["--port"],
      env: ["AZTEC_PORT"],
      kind: port,
      meaning: "public JSON-RPC port, 0 for any free one",
    },
    8080,
  ),
  adminPort: withDefault(
    {
      group: "RPC",
      flags: ["--admin-port"],
      env: ["AZTEC_ADMIN_PORT"],
      kind: port,
      meaning: "admin JSON-RPC port",
      unused: true,
    },
    8880,
  ),
  rpcHost: withDefault(
    {
      group: "RPC",
      flags: ["--rpc-host"],
      env: ["SVC_RPC_HOST"],
      kind: text,
      meaning: "address that the JSON-RPC port binds to",
    },
    "0.0.0.0",
  ),
  rpcMaxBatchSize: withDefault(
    {
      group: "RPC",
      flags: ["--rpcMaxBatchSize"],
      env: ["RPC_MAX_BATCH_SIZE"],
      kind: integer(1),
      meaning: "most requests in one JSON-RPC batch",
    },
    100,
  ),
  rpcMaxBodySize: withDefault(
    {
      group: "RPC",
      flags: ["--rpcMaxBodySize"],
      env: ["RPC_MAX_BODY_SIZE"],
      kind: byteSize,
      meaning: "largest request body",
    },
    1024 ** 2,
  ),
};

const l1 = {
  l1RpcUrls: withDefault(
    {
      group: "L1",
      flags: ["--l1-rpc-urls"],
      env: ["ETHEREUM_HOSTS"],
      kind: listOf(httpUrl),
      meaning: "execution RPC URLs, tried in order",
    },
    [],
  ),
  l1DebugRpcUrls: withDefault(
    {
      group: "L1",
      env: ["ETHEREUM_DEBUG_HOSTS"],
      kind: listOf(httpUrl),
      meaning: "execution RPC URLs with debug or trace methods",
    },
    [],
  ),
  l1ChainId: withDefault(
    {
      group: "L1",
      flags: ["--l1-chain-id"],
      env: ["L1_CHAIN_ID"],
      kind: integer(1),
      meaning: "chain id that L1 must report",
    },
    31337,
  ),
  l1ConsensusHostUrls: withDefault(
    {
      group: "L1",
      flags: ["--l1-consensus-host-urls"],
      env: ["L1_CONSENSUS_HOST_URLS"],
      kind: listOf(httpUrl),
      meaning: "beacon API URLs, for blobs",
    },
    [],
  ),
  l1ConsensusHostApiKeys: optional({
    group: "L1",
    flags: ["--l1-consensus-host-api-keys"],
    env: ["L1_CONSENSUS_HOST_API_KEYS"],
    kind: secret(byPosition),
    meaning: "beacon API keys by position, sent as ?key= unless a header is named",
  }),
  l1ConsensusHostApiKeyHeaders: withDefault(
    {
      group: "L1",
      flags: ["--l1-consensus-host-api-key-headers"],
      env: ["L1_CONSENSUS_HOST_API_KEY_HEADERS"],
      kind: byPosition,
      meaning: "header names by position that carry the beacon API keys",
    },
    [],
  ),
  registryAddress: optional({
    group: "L1",
    flags: ["--registry-address"],
    env: ["REGISTRY_CONTRACT_ADDRESS"],
    kind: l1Address,
    meaning: "L1 registry contract; a node needs it",
  }),
  rollupVersion: withDefault(
    {
      group: "L1",
      flags: ["--rollup-version"],
      env: ["ROLLUP_VERSION"],
      kind: rollupVersion,
      meaning: "rollup of the registry to follow",
    },
    "canonical",
  ),
  ethereumSlotDuration: withDefault(
    { group: "L1", env: ["ETHEREUM_SLOT_DURATION"], kind: integer(1), meaning: "seconds per L1 slot" },
    12,
  ),
};

const storage = {
  dataDirectory: optional({
    group: "Storage",
    flags: ["--data-directory"],
    env: ["DATA_DIRECTORY"],
    kind: path,
    meaning: "root of the node's files; unset means a temporary one that is removed at exit",
  }),
  dataStoreMapSizeKb: withDefault(
    {
      group: "Storage",
      flags: ["--data-store-map-size-kb"],
      env: ["DATA_STORE_MAP_SIZE_KB"],
      kind: integer(1024),
      meaning: "largest size of the chain store in KiB",
    },
    134217728,
  ),
  worldStateCheckpointHistory: withDefault(
    {
      group: "Storage",
      flags: ["--world-state-checkpoint-history"],
      env: ["WS_NUM_HISTORIC_CHECKPOINTS", "WS_NUM_HISTORIC_BLOCKS"],
      kind: integer(Number.MIN_SAFE_INTEGER),
      meaning: "checkpoints of world-state history to keep behind the finalized one; below 1 keeps all",
    },
    64,
  ),
};

const archiver = {
  blobFileStoreUrls: withDefault(
    {
      group: "Archiver",
      flags: ["--archiver.blobFileStoreUrls"],
      env: ["BLOB_FILE_STORE_URLS"],
      kind: listOf(readableStore),
      meaning: "blob stores to read from",
    },
    [],
  ),
  blobFileStoreUploadUrl: optional({
    group: "Archiver",
    flags: ["--archiver.blobFileStoreUploadUrl"],
    env: ["BLOB_FILE_STORE_UPLOAD_URL"],
    kind: url("file", "s3", "gs"),
    meaning: "blob store to which fetched blobs are copied",
  }),
  blobHealthcheckUploadIntervalMinutes: withDefault(
    {
      group: "Archiver",
      flags: ["--archiver.blobHealthcheckUploadIntervalMinutes"],
      env: ["BLOB_HEALTHCHECK_UPLOAD_INTERVAL_MINUTES"],
      kind: integer(1),
      meaning: "minutes between two writes of the upload store's health file",
    },
    60,
  ),
  awsAccessKeyId: optional({
    group: "Archiver",
    env: ["AWS_ACCESS_KEY_ID"],
    kind: text,
    meaning: "access key for s3:// stores",
  }),
  awsSecretAccessKey: optional({
    group: "Archiver",
    env: ["AWS_SECRET_ACCESS_KEY"],
    kind: secret(text),
    meaning: "secret of the access key",
  }),
  awsSessionToken: optional({
    group: "Archiver",
    env: ["AWS_SESSION_TOKEN"],
    kind: secret(text),
    meaning: "session token of a temporary access key",
  }),
  awsRegion: withDefault(
    {
      group: "Archiver",
      env: ["AWS_REGION", "AWS_DEFAULT_REGION"],
      kind: text,
      meaning: "region of s3:// stores without an endpoint",
    },
    "us-east-1",
  ),
  archiveApiUrl: optional({
    group: "Archiver",
    flags: ["--archiver.archiveApiUrl"],
    env: ["BLOB_ARCHIVE_API_URL"],
    kind: httpUrl,
    meaning: "HTTP API of a blob archive, the last source to be asked",
  }),
  blobAllowEmptySources: withDefault(
    {
      group: "Archiver",
      flags: ["--archiver.blobAllowEmptySources"],
      env: ["BLOB_ALLOW_EMPTY_SOURCES"],
      kind: boolean,
      meaning: "start even when no blob source answers",
    },
    false,
  ),
  archiverPollingIntervalMS: withDefault(
    {
      group: "Archiver",
      flags: ["--archiver.archiverPollingIntervalMS"],
      env: ["ARCHIVER_POLLING_INTERVAL_MS"],
      kind: integer(1),
      meaning: "pause between two looks at L1, in ms",
    },
    500,
  ),
  archiverBatchSize: withDefault(
    {
      group: "Archiver",
      flags: ["--archiver.archiverBatchSize"],
      env: ["ARCHIVER_BATCH_SIZE"],
      kind: integer(1),
      meaning: "L2 slots per L1 log query",
    },
    100,
  ),
  ethereumAllowNoDebugHosts: withDefault(
    {
      group: "Archiver",
      flags: ["--archiver.ethereumAllowNoDebugHosts"],
      env: ["ETHEREUM_ALLOW_NO_DEBUG_HOSTS"],
      kind: boolean,
      meaning: "start even when no L1 endpoint offers debug or trace methods",
    },
    true,
  ),
  maxAllowedEthClientDriftSeconds: withDefault(
    {
      group: "Archiver",
      flags: ["--archiver.maxAllowedEthClientDriftSeconds"],
      env: ["MAX_ALLOWED_ETH_CLIENT_DRIFT_SECONDS"],
      kind: integer(0),
      meaning: "largest distance in seconds of the latest L1 block from the local clock; 31337 chains are exempt",
    },
    300,
  ),
};

const genesis = {
  testAccounts: withDefault(
    {
      group: "Genesis",
      env: ["TEST_ACCOUNTS"],
      kind: boolean,
      meaning: "the network's genesis funds the test accounts",
    },
    false,
  ),
  sponsoredFpc: withDefault(
    {
      group: "Genesis",
      env: ["SPONSORED_FPC"],
      kind: boolean,
      meaning: "the network's genesis funds the sponsored fee contract",
    },
    false,
  ),
  prefundAddresses: withDefault(
    {
      group: "Genesis",
      env: ["PREFUND_ADDRESSES"],
      kind: listOf(l2Address),
      meaning: "further addresses that the network's genesis funds",
    },
    [],
  ),
};

const logging = {
  logLevel: withDefault(
    {
      group: "Logging",
      env: ["LOG_LEVEL"],
      kind: text,
      meaning: "level, then optional level:module,... statements, as in info;debug:archiver,rpc",
    },
    "info",
  ),
  logJson: withDefault(
    { group: "Logging", env: ["LOG_JSON"], kind: boolean, meaning: "log lines as JSON objects" },
    false,
  ),
};

/** The one table of options (sheet 09 section 4; names and defaults are those of the released network). */
export const OPTIONS = { ...modes, ...general, ...rpc, ...l1, ...storage, ...archiver, ...genesis, ...logging };

export type OptionKey = keyof typeof OPTIONS;
export type Values = { readonly [K in OptionKey]: ValueOf<(typeof OPTIONS)[K]> };
export const OPTION_KEYS = Object.keys(OPTIONS) as OptionKey[];
