import { describe, expect, test } from "vitest";
import { OPTIONS } from "../../src/config/options.ts";
import { deploymentParameters } from "../../src/devnet/deploy.ts";
import { type DeployedDevnet, DevnetFolder } from "../../src/devnet/folder.ts";
import { newPlan, plannedNodes } from "../../src/devnet/plan.ts";
import { bootnodeStart, leftSettings, nodeStart, passedVariables } from "../../src/devnet/settings.ts";

const plan = newPlan({ validators: 2, leave: 1, followers: 1, prover: true, fast: true });
const nodes = plannedNodes(plan, 20_000);
const deployed = {
  l1SlotSeconds: 2,
  addresses: { registryAddress: "0x01" },
  prefundAddresses: ["0x0a", "0x0b"],
} as unknown as DeployedDevnet;
const facts = { plan, folder: new DevnetFolder("/net"), nodes, deployed, bootnode: "enr:-one" };
const named = (name: string) => nodes.find((node) => node.name === name) ?? expect.fail(name);

/** Every variable of an option, with a value that no setting of the network has. */
const EVERYTHING = Object.fromEntries(Object.values(OPTIONS).flatMap(({ env }) => env.map((name) => [name, "77"])));

describe("variables of the environment that nodes get", () => {
  test("are settings that can be the same for all of them", () => {
    const shared = {
      ...{ LOG_LEVEL: "debug", SEQ_MIN_TX_PER_BLOCK: "1", P2P_MAX_PEERS: "9", SENTINEL_ENABLED: "false" },
      ...{ SLASH_INACTIVITY_PENALTY: "5", RPC_MAX_BODY_SIZE: "1mb", OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://a" },
      ...{ L1_GAS_PRICE_MAX: "7", TX_PUBLIC_SETUP_ALLOWLIST: "x", BB_BINARY_PATH: "/bb", LOG_FORMAT: "json" },
    };
    expect(passedVariables({ ...shared, HOME: "/root", EDITOR: "vi" })).toEqual(shared);
  });

  test.each([
    ...["NETWORK", "SVC_CONFIG", "SVC_LOG_FILE", "DATA_DIRECTORY", "WS_DATA_DIRECTORY", "KEY_STORE_DIRECTORY"],
    ...["COINBASE", "FEE_RECIPIENT", "PEER_ID_PRIVATE_KEY", "PEER_ID_PRIVATE_KEY_PATH", "BOOTSTRAP_NODES", "MNEMONIC"],
    ...["P2P_BROADCAST_PORT", "P2P_QUERY_FOR_IP", "P2P_TRUSTED_PEERS", "P2P_PRIVATE_PEERS", "P2P_PREFERRED_PEERS"],
    ...["API_PREFIX", "SVC_RPC_REQUIRE_API_KEY", "SVC_RPC_API_KEYS_FILE", "SVC_FEED_PORT", "SVC_RPC_NODE_URL"],
    ...["VALIDATOR_HA_SIGNING_ENABLED", "VALIDATOR_HA_DATABASE_URL", "VALIDATOR_HA_NODE_ID", "VALIDATOR_HA_POOL_MAX"],
    ...["SYNC_MODE", "SYNC_SNAPSHOTS_URL", "SYNC_SNAPSHOTS_URLS", "TX_FILE_STORE_URL", "TX_COLLECTION_FILE_STORE_URLS"],
    ...["TX_COLLECTION_NODE_RPC_URLS", "ETHEREUM_HOSTS", "ETHEREUM_DEBUG_HOSTS", "L1_CHAIN_ID", "ROLLUP_VERSION"],
    ...["BOT_L1_MNEMONIC", "AWS_ACCESS_KEY_ID", "BLOB_FILE_STORE_URLS", "WEB3_SIGNER_URL", "VALIDATOR_ADDRESSES"],
    ...["ENABLE_PROVER_NODE", "AZTEC_DISABLE_ADMIN_API_KEY", "FOLLOWER_UPSTREAM_URL", "PROVER_ID", "AZTEC_PORT"],
  ])("are without %s", (name) => {
    expect(passedVariables({ [name]: "1" })).toEqual({});
  });

  test("are without secrets", () => {
    const secrets = Object.values(OPTIONS).flatMap(({ kind, env }) => (kind.secret ? env : []));
    expect(secrets.length).toBeGreaterThan(10);
    expect(Object.keys(passedVariables(EVERYTHING)).filter((name) => secrets.includes(name))).toEqual([]);
  });
});

test("no variable of the environment takes a node away from its network", () => {
  const environment = passedVariables(EVERYTHING);
  const of = (name: string, given: typeof environment) => {
    if (name === "bootnode") return bootnodeStart(named(name), facts.folder, given).variables;
    return nodeStart(named(name), facts, given).variables;
  };
  for (const name of ["bootnode", "validator-1", "broker", "prover", "agent", "follower-1"]) {
    const plain = Object.entries(of(name, {})).filter(([variable]) => !(variable in environment));
    expect(of(name, environment)).toMatchObject(Object.fromEntries(plain));
    expect(of(name, environment)).toMatchObject({ DATA_DIRECTORY: `/net/nodes/${name}`, SVC_RPC_HOST: "127.0.0.1" });
  }
  expect(of("validator-1", environment)).toMatchObject({
    ...{ P2P_ENABLED: "true", TEST_ACCOUNTS: "true", PREFUND_ADDRESSES: "0x0a,0x0b", ETHEREUM_SLOT_DURATION: "2" },
    ...{ AZTEC_DISABLE_ADMIN_API_KEY: "true", DEBUG_P2P_DISABLE_COLOCATION_PENALTY: "true" },
    ...{ PROVER_REAL_PROOFS: "false", SEQ_MIN_TX_PER_BLOCK: "77" },
  });
});

test("a validator that is left to others has the settings of the network's, without what may hold a password", () => {
  const environment = {
    ...{ LOG_LEVEL: "debug", SEQ_BLOCK_DURATION_MS: "3000", OTEL_RESOURCE_ATTRIBUTES: "a=b" },
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://user:password@collector/",
  };
  const left = leftSettings("own-1", 30_000, facts, environment);
  const { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: url, ...without } = environment;
  expect(left).toEqual({
    ...nodeStart({ name: "own-1", role: "prover node", port: 30_000 }, facts, without).variables,
    ...{ PROVER_BROKER_HOST: undefined, PROVER_AGENT_COUNT: undefined, PROVER_NODE_POLLING_INTERVAL_MS: undefined },
  });
  expect(left).toMatchObject(without);
  expect(JSON.stringify(left)).not.toContain(new URL(url).password);
});

test("a public network in the environment does not change the contracts of a devnet", () => {
  const { aztecSlotDuration, aztecEpochDuration, ethereumSlotDuration } = deploymentParameters(plan, {
    ...{ NETWORK: "testnet", AZTEC_EPOCH_DURATION: "8" },
  });
  expect({ aztecSlotDuration, aztecEpochDuration, ethereumSlotDuration }).toEqual({
    ...{ aztecSlotDuration: 8, aztecEpochDuration: 8, ethereumSlotDuration: 2 },
  });
});
