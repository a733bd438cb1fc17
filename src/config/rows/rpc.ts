import { boolean, secret, someOf, text } from "../kinds.ts";
import {
  byteSize,
  integer,
  MOST_AT_ONCE,
  MOST_BODY,
  MOST_COUNT,
  MOST_GAS,
  MOST_MEMORY,
  MOST_MILLISECONDS,
  port,
} from "../number-kinds.ts";
import { rowsOf } from "../option.ts";
import { sha256Hex } from "../protocol-kinds.ts";

const { optional, withDefault } = rowsOf("RPC", "rpc");

export const rpc = {
  port: withDefault(
    { flags: ["--port"], env: ["AZTEC_PORT"], kind: port, meaning: "public JSON-RPC port, 0 for any free one" },
    8080,
  ),
  rpcHost: withDefault(
    {
      flags: ["--rpc-host"],
      env: ["SVC_RPC_HOST"],
      kind: text,
      meaning: "address that the JSON-RPC port binds to",
    },
    "0.0.0.0",
  ),
  apiPrefix: withDefault(
    { flags: ["--api-prefix"], env: ["API_PREFIX"], kind: text, meaning: "prefix of the route", unused: true },
    "",
  ),
  rpcMaxBatchSize: withDefault(
    {
      flags: ["--rpcMaxBatchSize"],
      env: ["RPC_MAX_BATCH_SIZE"],
      kind: integer(1, 100_000),
      meaning: "most requests in one JSON-RPC batch",
    },
    100,
  ),
  rpcMaxBodySize: withDefault(
    {
      flags: ["--rpcMaxBodySize"],
      env: ["RPC_MAX_BODY_SIZE"],
      kind: byteSize(MOST_BODY),
      meaning: "largest request body",
    },
    1024 ** 2,
  ),
  rpcMaxConnections: withDefault(
    {
      flags: ["--rpc-max-connections"],
      env: ["SVC_RPC_MAX_CONNECTIONS"],
      kind: integer(0, 1_000_000),
      meaning: "most connections to a JSON-RPC port at once, 0 for any number",
    },
    4096,
  ),
  rpcMaxConnectionsPerClient: withDefault(
    {
      flags: ["--rpc-max-connections-per-client"],
      env: ["SVC_RPC_MAX_CONNECTIONS_PER_CLIENT"],
      kind: integer(0, 1_000_000),
      meaning: "most connections of one client address to a JSON-RPC port at once, 0 for any number, as behind a proxy",
    },
    512,
  ),
  rpcRateLimit: withDefault(
    {
      flags: ["--rpc-rate-limit"],
      env: ["SVC_RPC_RATE_LIMIT"],
      kind: integer(0, MOST_COUNT),
      meaning: "most calls per second of one client address on the public port, 0 for any number",
    },
    0,
  ),
  rpcThreads: optional({
    flags: ["--rpc-threads"],
    env: ["SVC_RPC_THREADS"],
    kind: integer(0, MOST_AT_ONCE),
    meaning:
      "threads that answer on the public port, 0 for the thread that syncs; by default one per processor but one, at least 1 and at most 4",
  }),
  rpcCacheSize: withDefault(
    {
      flags: ["--rpc-cache-size"],
      env: ["SVC_RPC_CACHE_SIZE"],
      kind: byteSize(MOST_MEMORY),
      meaning: "most memory for the texts of answers that are kept, over all threads of the public port",
    },
    64 * 1024 ** 2,
  ),
  rpcMaxWaitingSize: withDefault(
    {
      flags: ["--rpc-max-waiting-size"],
      env: ["SVC_RPC_MAX_WAITING_SIZE"],
      kind: byteSize(MOST_MEMORY),
      meaning:
        "most bytes of answers that are made for batches or wait for clients to take them, over all threads of the public port",
    },
    256 * 1024 ** 2,
  ),
  rpcNamespaces: withDefault(
    {
      flags: ["--rpc-namespaces"],
      env: ["SVC_RPC_NAMESPACES"],
      kind: someOf(["svc", "node"]),
      meaning: "namespaces that the public port serves",
    },
    ["svc", "node"],
  ),
  rpcSimulatePublicMaxGasLimit: withDefault(
    {
      env: ["RPC_SIMULATE_PUBLIC_MAX_GAS_LIMIT"],
      kind: integer(0, MOST_GAS),
      meaning: "most L2 gas of a simulation of public calls",
    },
    10_000_000_000,
  ),
  rpcSimulatePublicMaxDebugLogMemoryReads: withDefault(
    {
      env: ["RPC_SIMULATE_PUBLIC_MAX_DEBUG_LOG_MEMORY_READS"],
      kind: integer(0, MOST_COUNT),
      meaning: "most memory words that debug logs of a simulation read",
    },
    125_000,
  ),
  rpcSimulationTimeoutMs: withDefault(
    {
      flags: ["--rpc-simulation-timeout"],
      env: ["SVC_RPC_SIMULATION_TIMEOUT_MS"],
      kind: integer(1, MOST_MILLISECONDS),
      meaning: "time that a simulation of public calls may take once it runs, in ms",
    },
    2_000,
  ),
};

const adminRows = rowsOf("Admin RPC", "admin");

/** Access to the admin port (sheet 09 section 6.3). */
export const admin = {
  adminPort: adminRows.withDefault(
    {
      flags: ["--admin-port"],
      env: ["AZTEC_ADMIN_PORT"],
      kind: port,
      meaning: "admin JSON-RPC port, 0 for any free one",
    },
    8880,
  ),
  adminHost: adminRows.withDefault(
    {
      flags: ["--admin-host"],
      env: ["SVC_ADMIN_HOST"],
      kind: text,
      meaning: "address that the admin port binds to",
    },
    "127.0.0.1",
  ),
  adminApiKeyHash: adminRows.optional({
    flags: ["--admin-api-key-hash"],
    env: ["SVC_ADMIN_API_KEY_HASH", "AZTEC_ADMIN_API_KEY_HASH"],
    kind: {
      ...secret(sha256Hex),
      // The network's words for it, but for the text, which may be the key itself.
      fault: (given) =>
        `Invalid admin API key hash: expected 64-char hex string, got ${given.trim().length} characters`,
    },
    meaning: "SHA-256 of the admin key to accept, in hex",
  }),
  disableAdminApiKey: adminRows.withDefault(
    {
      flags: ["--disable-admin-api-key"],
      env: ["SVC_DISABLE_ADMIN_API_KEY", "AZTEC_DISABLE_ADMIN_API_KEY"],
      kind: boolean,
      meaning: "serve admin requests without a key",
    },
    false,
  ),
  resetAdminApiKey: adminRows.withDefault(
    {
      flags: ["--reset-admin-api-key"],
      env: ["SVC_RESET_ADMIN_API_KEY", "AZTEC_RESET_ADMIN_API_KEY"],
      kind: boolean,
      meaning: "make and store a new admin key at this start",
    },
    false,
  ),
};
