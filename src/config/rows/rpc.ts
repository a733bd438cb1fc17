import { boolean, type Kind, listOf, oneOf, path, secret, someOf, text } from "../kinds/kinds.ts";
import { corsOrigins, ipNetwork } from "../kinds/network-kinds.ts";
import {
  byteSize,
  integer,
  MAX_BODY,
  MAX_CONCURRENCY,
  MAX_COUNT,
  MAX_GAS,
  MAX_MEMORY,
  MAX_MILLISECONDS,
  port,
} from "../kinds/number-kinds.ts";
import { rowsOf } from "../kinds/option.ts";
import { sha256Hex } from "../kinds/protocol-kinds.ts";
import { httpUrl } from "../kinds/url-kinds.ts";

const { optional, withDefault } = rowsOf("RPC", "rpc");

/** As it can stand in a header. */
const apiKey: Kind<string> = {
  ...text,
  rule: "must have 1 to 1,000 visible ASCII characters",
  parse: (given) => (/^[\x21-\x7e]{1,1000}$/.test(given) ? given : undefined),
};

/** Slashes at its end are dropped, so that / is no prefix. */
const routePrefix: Kind<string> = {
  ...text,
  name: "path prefix",
  placeholder: "path",
  rule: "must begin with a slash and have letters, digits and - . _ ~ between single slashes, at most 200 characters",
  parse(given) {
    const trimmed = given.trim();
    if (trimmed.length > 200) return undefined;
    return /^((?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)*)\/?$/.exec(trimmed)?.[1];
  },
};

export const rpc = {
  port: withDefault(
    {
      flags: ["--port"],
      env: ["AZTEC_PORT"],
      kind: port,
      to: ["rpc.listen.port"],
      meaning: "public JSON-RPC port, 0 for any free one",
    },
    8080,
  ),
  rpcHost: withDefault(
    {
      flags: ["--rpc-host"],
      env: ["SVC_RPC_HOST"],
      kind: text,
      to: ["rpc.listen.host"],
      meaning: "address that the JSON-RPC port binds to",
    },
    "0.0.0.0",
  ),
  apiPrefix: withDefault(
    {
      flags: ["--api-prefix"],
      env: ["API_PREFIX"],
      kind: routePrefix,
      to: ["rpc.listen.prefix"],
      meaning: "path in front of every route of the JSON-RPC port, as /rpc; without it requests are not found",
    },
    "",
  ),
  rpcHttpAdapter: withDefault(
    {
      flags: ["--rpc-http-adapter"],
      env: ["SVC_RPC_HTTP_ADAPTER"],
      kind: oneOf(["auto", "node"]),
      to: ["rpc.listen.adapter"],
      meaning:
        "what serves the JSON-RPC ports: auto takes uWebSockets.js where it runs; node takes node:http, which is slower and knows HTTP/1.0 and all of HTTP/1.1",
    },
    "auto",
  ),
  rpcHttpKeepAliveTimeoutMs: optional({
    flags: ["--rpc-http-keep-alive-timeout-ms"],
    env: ["RPC_HTTP_KEEP_ALIVE_TIMEOUT_MS"],
    kind: integer(1, MAX_MILLISECONDS),
    to: ["rpc.listen.keepAliveTimeoutMs"],
    meaning:
      "milliseconds for which an idle HTTP connection is kept open for a further request; uWebSockets.js keeps it for 8 to 12 s whatever is set, so more than 8,000 needs node:http and selects it. By default 8 s, with node:http 5 s",
  }),
  rpcMaxBatchSize: withDefault(
    {
      flags: ["--rpcMaxBatchSize"],
      env: ["RPC_MAX_BATCH_SIZE"],
      kind: integer(1, 100_000),
      to: ["rpc.limits.maxBatchSize"],
      meaning: "maximum requests in one JSON-RPC batch",
    },
    100,
  ),
  rpcMaxBodySize: withDefault(
    {
      flags: ["--rpcMaxBodySize"],
      env: ["RPC_MAX_BODY_SIZE"],
      kind: byteSize(MAX_BODY),
      to: ["rpc.limits.maxBodyBytes"],
      meaning: "maximum size of a request body",
    },
    1024 ** 2,
  ),
  rpcMaxConnections: withDefault(
    {
      flags: ["--rpc-max-connections"],
      env: ["SVC_RPC_MAX_CONNECTIONS"],
      kind: integer(0, 1_000_000),
      to: ["rpc.limits.maxConnections"],
      meaning: "maximum open connections to a JSON-RPC port, 0 for no limit",
    },
    4096,
  ),
  rpcMaxConnectionsPerClient: withDefault(
    {
      flags: ["--rpc-max-connections-per-client"],
      env: ["SVC_RPC_MAX_CONNECTIONS_PER_CLIENT"],
      kind: integer(0, 1_000_000),
      to: ["rpc.limits.maxConnectionsPerClient"],
      meaning:
        "maximum open connections per client address to a JSON-RPC port, 0 for no limit; connections of trusted proxies do not count",
    },
    512,
  ),
  rpcRateLimit: withDefault(
    {
      flags: ["--rpc-rate-limit"],
      env: ["SVC_RPC_RATE_LIMIT"],
      kind: integer(0, MAX_COUNT),
      to: ["rpc.limits.rateLimit"],
      meaning: "maximum calls per second per client address on the public port, 0 for no limit",
    },
    0,
  ),
  rpcTrustedProxies: withDefault(
    {
      flags: ["--rpc-trusted-proxies"],
      env: ["SVC_RPC_TRUSTED_PROXIES"],
      kind: listOf(ipNetwork),
      to: ["rpc.limits.proxies.networks"],
      meaning:
        "addresses or networks of proxies whose header (or PROXY protocol version 2) names the client, for limits per client address",
    },
    [],
  ),
  rpcForwardingHeader: withDefault(
    {
      flags: ["--rpc-forwarding-header"],
      env: ["SVC_RPC_FORWARDING_HEADER"],
      kind: oneOf(["x-forwarded-for", "forwarded"]),
      to: ["rpc.limits.proxies.header"],
      meaning: "header in which trusted proxies name the client; the other one is ignored",
    },
    "x-forwarded-for",
  ),
  rpcApiKeysFile: optional({
    flags: ["--rpc-api-keys-file"],
    env: ["SVC_RPC_API_KEYS_FILE"],
    kind: path,
    to: ["rpc.keys.file"],
    meaning:
      "JSON file of hashed API keys for the public port, each with limits of its own; read again when it changes",
  }),
  rpcRequireApiKey: withDefault(
    {
      flags: ["--rpc-require-api-key"],
      env: ["SVC_RPC_REQUIRE_API_KEY"],
      kind: boolean,
      to: ["rpc.keys.required"],
      meaning: "refuse calls to the public port that are made without an API key",
    },
    false,
  ),
  rpcUpstreamApiKey: optional({
    flags: ["--rpc-upstream-api-key"],
    env: ["SVC_RPC_UPSTREAM_API_KEY"],
    kind: secret(apiKey),
    to: ["rpc.forward.apiKey"],
    meaning: "API key of a follower or a process of --rpc-only for the nodes to which it forwards calls",
  }),
  rpcCorsOrigins: withDefault(
    {
      flags: ["--rpc-cors-origins"],
      env: ["SVC_RPC_CORS_ORIGINS"],
      kind: corsOrigins,
      to: ["rpc.listen.cors"],
      meaning: "origins whose pages may read answers of the public port: * for all, none, or a list",
    },
    true,
  ),
  rpcThreads: optional({
    flags: ["--rpc-threads"],
    env: ["SVC_RPC_THREADS"],
    kind: integer(0, MAX_CONCURRENCY),
    to: ["rpc.listen.threads"],
    meaning:
      "threads that serve the public port, 0 to serve it on the main thread; the default is the number of processors less one, at least 1 and at most 4, and 0 for a prover node that builds no blocks",
  }),
  rpcCacheSize: withDefault(
    {
      flags: ["--rpc-cache-size"],
      env: ["SVC_RPC_CACHE_SIZE"],
      kind: byteSize(MAX_MEMORY),
      to: ["rpc.cache.bytes"],
      meaning: "maximum memory for cached responses, over all threads of the public port",
    },
    64 * 1024 ** 2,
  ),
  rpcMaxWaitingSize: withDefault(
    {
      flags: ["--rpc-max-waiting-size"],
      env: ["SVC_RPC_MAX_WAITING_SIZE"],
      kind: byteSize(MAX_MEMORY),
      to: ["rpc.limits.maxWaitingBytes"],
      meaning:
        "maximum memory for responses that belong to an unfinished batch or that clients have not yet read, over all threads of the public port",
    },
    256 * 1024 ** 2,
  ),
  rpcNamespaces: withDefault(
    {
      flags: ["--rpc-namespaces"],
      env: ["SVC_RPC_NAMESPACES"],
      kind: someOf(["svc", "node", "p2p", "aztec", "provingJobSource"]),
      to: ["rpc.listen.namespaces"],
      meaning:
        "namespaces that the public port serves; `aztec` is another spelling of `svc`; `provingJobSource` lets agents elsewhere work for the broker in a prover node's process",
    },
    ["svc", "node", "p2p", "aztec"],
  ),
  rpcNodeUrl: optional({
    flags: ["--rpc-node-url"],
    env: ["SVC_RPC_NODE_URL"],
    kind: httpUrl,
    to: ["rpc.forward.nodeUrl"],
    meaning:
      "with --rpc-only: URL of the node's public port, for calls that the store does not answer; by default what the node wrote into its data directory",
  }),
  rpcNodeAwayLimitSeconds: withDefault(
    {
      flags: ["--rpc-node-away-limit"],
      env: ["SVC_RPC_NODE_AWAY_LIMIT_SECONDS"],
      kind: integer(1, MAX_COUNT),
      to: ["rpc.forward.nodeAwayLimitSeconds"],
      meaning: "with --rpc-only: time without an answer from the node after which /ready says no, in seconds",
    },
    60,
  ),
  rpcRefuseBlocksAhead: withDefault(
    {
      flags: ["--rpc-refuse-blocks-ahead"],
      env: ["SVC_RPC_REFUSE_BLOCKS_AHEAD"],
      kind: boolean,
      to: ["rpc.answers.refusesBlocksAhead"],
      meaning: "answer a reference block above the own tip with HTTP 503, so that a load balancer asks another node",
    },
    false,
  ),
  rpcRevertWords: withDefault(
    {
      flags: ["--rpc-revert-words"],
      env: ["SVC_RPC_REVERT_WORDS"],
      kind: oneOf(["4.3", "4.1"]),
      to: ["rpc.answers.revertWords"],
      meaning:
        "release whose words and revert codes `node_` has for reverted transactions: 4.3 says reverted (1), 4.1 app_logic_reverted (1), teardown_reverted (2) and both_reverted (3), as far as blocks tell these apart",
    },
    "4.3",
  ),
  rpcMinBlockWaitMs: withDefault(
    {
      flags: ["--rpc-min-block-wait"],
      env: ["SVC_RPC_MIN_BLOCK_WAIT_MS"],
      kind: integer(0, MAX_MILLISECONDS),
      to: ["rpc.answers.minBlockWaitMs"],
      meaning: "longest wait of a request for the block that its header x-svc-min-block names, in ms",
    },
    1_000,
  ),
  rpcUi: withDefault(
    {
      flags: ["--rpc-ui"],
      env: ["SVC_RPC_UI"],
      kind: boolean,
      to: ["rpc.listen.page"],
      meaning: "serve the status page at /ui on the public port too, without what only the admin port tells",
    },
    false,
  ),
  rpcSimulatePublicMaxGasLimit: withDefault(
    {
      env: ["RPC_SIMULATE_PUBLIC_MAX_GAS_LIMIT"],
      kind: integer(0, MAX_GAS),
      to: ["simulation.maxGasLimit"],
      meaning: "maximum L2 gas for a simulation of public calls",
    },
    10_000_000_000,
  ),
  rpcSimulatePublicMaxDebugLogMemoryReads: withDefault(
    {
      env: ["RPC_SIMULATE_PUBLIC_MAX_DEBUG_LOG_MEMORY_READS"],
      kind: integer(0, MAX_COUNT),
      to: ["simulation.maxDebugLogReads"],
      meaning: "maximum memory words that the debug logs of a simulation may read",
    },
    125_000,
  ),
  rpcSimulationTimeoutMs: withDefault(
    {
      flags: ["--rpc-simulation-timeout"],
      env: ["SVC_RPC_SIMULATION_TIMEOUT_MS"],
      kind: integer(1, MAX_MILLISECONDS),
      to: ["simulation.limitMs"],
      meaning: "timeout of a simulation of public calls, from when it starts to run, in ms",
    },
    2_000,
  ),
};

const adminRows = rowsOf("Admin RPC", "admin");

/** Access to the admin port (docs/protocol/05-rpc.md#534-admin-access). */
export const admin = {
  adminPort: adminRows.withDefault(
    {
      flags: ["--admin-port"],
      env: ["AZTEC_ADMIN_PORT"],
      kind: port,
      to: ["admin.port"],
      meaning: "admin JSON-RPC port, 0 for any free one",
    },
    8880,
  ),
  adminHost: adminRows.withDefault(
    {
      flags: ["--admin-host"],
      env: ["SVC_ADMIN_HOST"],
      kind: text,
      to: ["admin.host"],
      meaning: "address that the admin port binds to",
    },
    "127.0.0.1",
  ),
  adminApiKeyHash: adminRows.optional({
    flags: ["--admin-api-key-hash"],
    env: ["SVC_ADMIN_API_KEY_HASH", "AZTEC_ADMIN_API_KEY_HASH"],
    kind: {
      ...secret(sha256Hex),
      // The reference's message without the given text, which may be the key itself.
      fault: (given) =>
        `Invalid admin API key hash: expected 64-char hex string, got ${given.trim().length} characters`,
    },
    to: ["admin.key.hash"],
    meaning: "SHA-256 of the admin API key to accept, in hex",
  }),
  disableAdminApiKey: adminRows.withDefault(
    {
      flags: ["--disable-admin-api-key"],
      env: ["SVC_DISABLE_ADMIN_API_KEY", "AZTEC_DISABLE_ADMIN_API_KEY"],
      kind: boolean,
      to: ["admin.key.disabled"],
      meaning: "serve admin requests without an API key",
    },
    false,
  ),
  resetAdminApiKey: adminRows.withDefault(
    {
      flags: ["--reset-admin-api-key"],
      env: ["SVC_RESET_ADMIN_API_KEY", "AZTEC_RESET_ADMIN_API_KEY"],
      kind: boolean,
      to: ["admin.key.reset"],
      meaning: "generate and store a new admin API key at this start",
    },
    false,
  ),
};
