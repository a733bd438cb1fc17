import type { Kind } from "../config/kinds/kinds.ts";
import { port as portKind } from "../config/kinds/number-kinds.ts";
import type { Group, Option } from "../config/kinds/option.ts";
import { OPTIONS } from "../config/options.ts";
import type { DeployedDevnet, DevnetFolder } from "./folder.ts";
import { L1_CHAIN_ID } from "./l1-part.ts";
import { type DevnetPlan, type PlannedNode, PORT_OF, type Role } from "./plan.ts";

type Variables = Readonly<Record<string, string>>;

/** What nodes need to know of the network that they are in. */
export interface NetworkFacts {
  plan: DevnetPlan;
  folder: DevnetFolder;
  nodes: readonly PlannedNode[];
  deployed: DeployedDevnet;
  /** Record of the bootnode. */
  bootnode: string;
}

const LOOPBACK = "127.0.0.1";
const url = (port: number) => `http://${LOOPBACK}:${port}`;

/** Groups of options that say which node one is, or that belong to processes that a network does not have. */
const OF_ONE_NODE: ReadonlySet<Group> = new Set([
  ...(["Modes", "Admin RPC", "L1", "Genesis", "Followers", "High-availability signing", "Metrics"] as const),
  ...(["Bot", "Local network", "Deployment"] as const),
]);

/** How a node is reached, and where it gets its data: the network says it. */
const SAID_BY_NETWORK = /^(?:NETWORK|SYNC_MODE|P2P_QUERY_FOR_IP|SVC_RPC_REQUIRE_API_KEY|TX_FILE_STORE_ENABLED)$/;

/**
 * Texts, lists and paths that all nodes can share. Any other one names something of one node, or of a public network.
 */
const SHARED =
  /^(?:LOG_LEVEL|OTEL_.*|TX_PUBLIC_SETUP_ALLOWLIST|P2P_PEER_PENALTY_VALUES|GOVERNANCE_PROPOSER_PAYLOAD_ADDRESS|SLASH_.*|SVC_RPC_CORS_ORIGINS|SVC_RPC_NAMESPACES|PROVER_AGENT_PROOF_TYPES|CRS_PATH|ACVM_BINARY_PATH|BB_BINARY_PATH|SVC_PROVER_CIRCUITS_PATH)$/;

/** Whether values say how much, how long or whether, and not who or where. */
function isMeasure({ json, name }: Kind<unknown>): boolean {
  if (typeof json === "object") return "number" in json || "whole" in json || "oneOf" in json;
  return json === "boolean" || json === "amount" || name === "size";
}

function isPassed({ group, kind }: Option, variable: string): boolean {
  if (kind.secret || kind === portKind || OF_ONE_NODE.has(group) || SAID_BY_NETWORK.test(variable)) return false;
  return isMeasure(kind) || SHARED.test(variable);
}

const ALL: readonly Option[] = Object.values(OPTIONS);
const variablesOf = (options: readonly Option[]) =>
  options.flatMap((option) => option.env.filter((variable) => isPassed(option, variable)));
const PASSED = variablesOf(ALL);
/** Those without URLs, which may hold a password. */
const SHOWN = variablesOf(ALL.filter(({ kind }) => kind.secrets === undefined));

function named(names: readonly string[], environment: NodeJS.ProcessEnv): Variables {
  return Object.fromEntries(
    names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  );
}

/** Variables of this process that its nodes get: settings that are the same for all of them. */
export function passedVariables(environment: NodeJS.ProcessEnv): Variables {
  return named(PASSED, environment);
}

const SYSTEM = ["PATH", "HOME", "TMPDIR", "TZ", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "NODE_OPTIONS"];

/** What any program needs of the environment of this process. */
export function systemVariables(environment: NodeJS.ProcessEnv): Variables {
  return named([...SYSTEM, "NODE_EXTRA_CA_CERTS"], environment);
}

/** Settings of every process of svc. They yield to variables of the environment. */
const DEFAULTS: Variables = { SVC_RPC_THREADS: "1", AZTEC_DISABLE_ADMIN_API_KEY: "true" };

/** The same for nodes that follow L1. They yield to variables of the environment. */
function nodeDefaults({ plan }: Pick<NetworkFacts, "plan">): Variables {
  return {
    ARCHIVER_POLLING_INTERVAL_MS: plan.fast ? "250" : "1000",
    DATA_STORE_MAP_SIZE_KB: "4194304",
    SEQ_MIN_TX_PER_BLOCK: "0",
    SEQ_BLOCK_DURATION_MS: plan.fast ? "2000" : "6000",
    SENTINEL_ENABLED: "true",
    P2P_PEER_CHECK_INTERVAL_MS: "1000",
  };
}

function portSettings({ port }: Pick<PlannedNode, "port">): Variables {
  return {
    AZTEC_PORT: String(port + PORT_OF.rpc),
    AZTEC_ADMIN_PORT: String(port + PORT_OF.admin),
    SVC_METRICS_PORT: String(port + PORT_OF.metrics),
    SVC_RPC_HOST: LOOPBACK,
    SVC_ADMIN_HOST: LOOPBACK,
    SVC_METRICS_HOST: LOOPBACK,
  };
}

function peerSettings({ port }: Pick<PlannedNode, "port">): Variables {
  return {
    P2P_ENABLED: "true",
    P2P_IP: LOOPBACK,
    P2P_LISTEN_ADDR: LOOPBACK,
    P2P_PORT: String(port + PORT_OF.p2p),
    DEBUG_P2P_DISABLE_COLOCATION_PENALTY: "true",
  };
}

/** The network as a node of it has to know it. */
function networkSettings({ folder, nodes, deployed, bootnode }: NetworkFacts): Variables {
  return {
    ETHEREUM_HOSTS: url(portOf(nodes, "l1")),
    L1_CHAIN_ID: String(L1_CHAIN_ID),
    ETHEREUM_SLOT_DURATION: String(deployed.l1SlotSeconds),
    REGISTRY_CONTRACT_ADDRESS: deployed.addresses.registryAddress,
    TEST_ACCOUNTS: "true",
    SPONSORED_FPC: "true",
    PREFUND_ADDRESSES: (deployed.prefundAddresses ?? []).join(","),
    PROVER_REAL_PROOFS: "false",
    BLOB_FILE_STORE_URLS: `file://${folder.blobs}`,
    BLOB_FILE_STORE_UPLOAD_URL: `file://${folder.blobs}`,
    BOOTSTRAP_NODES: bootnode,
  };
}

function portOf(nodes: readonly PlannedNode[], name: string): number {
  const node = nodes.find((one) => one.name === name);
  if (node === undefined) throw new RangeError(`the network has no ${name}`);
  return node.port;
}

interface NodeStart {
  /** Arguments of `svc start`. */
  args: readonly string[];
  variables: Variables;
}

/** The bootnode, which is started before anything else of svc. */
export function bootnodeStart(node: PlannedNode, folder: DevnetFolder, environment: Variables): NodeStart {
  return {
    args: ["--p2p-bootstrap"],
    variables: {
      ...{ ...environment, ...portSettings(node), ...peerSettings(node), L1_CHAIN_ID: String(L1_CHAIN_ID) },
      DATA_DIRECTORY: folder.data(node.name),
    },
  };
}

const MODE_FLAGS: Readonly<Partial<Record<Role, readonly string[]>>> = {
  validator: ["--node", "--sequencer"],
  "prover broker": ["--prover-broker"],
  "prover node": ["--node", "--prover-node"],
  "prover agent": ["--prover-agent"],
  follower: ["--follower"],
};

/** Of a node that is in the peer-to-peer network and follows L1. */
function inNetwork(node: Pick<PlannedNode, "port">, facts: NetworkFacts, environment: Variables): Variables {
  return {
    ...{ ...DEFAULTS, ...nodeDefaults(facts), ...environment, ...networkSettings(facts), ...peerSettings(node) },
    ...trustedProxies(facts),
  };
}

function trustedProxies({ plan }: NetworkFacts): Variables {
  return plan.haproxy || plan.followers > 0 ? { SVC_RPC_TRUSTED_PROXIES: LOOPBACK } : {};
}

/** How a node of the network is started. */
export function nodeStart(node: PlannedNode, facts: NetworkFacts, environment: Variables): NodeStart {
  const { plan, folder, nodes } = facts;
  const broker = () => url(portOf(nodes, "broker"));
  const roles: Readonly<Partial<Record<Role, () => Variables>>> = {
    validator: () => ({
      ...inNetwork(node, facts, environment),
      KEY_STORE_DIRECTORY: folder.keys(node.name),
      ...(plan.followers > 0 && { SVC_FEED_PORT: String(node.port + PORT_OF.feed), SVC_FEED_HOST: LOOPBACK }),
    }),
    "prover broker": () => ({ ...DEFAULTS, ...environment }),
    "prover node": () => ({
      ...inNetwork(node, facts, environment),
      KEY_STORE_DIRECTORY: folder.keys(node.name),
      PROVER_BROKER_HOST: broker(),
      PROVER_AGENT_COUNT: "0",
      PROVER_NODE_POLLING_INTERVAL_MS: "1000",
    }),
    "prover agent": () => ({ ...DEFAULTS, ...environment, PROVER_BROKER_HOST: broker(), PROVER_REAL_PROOFS: "false" }),
    follower: () => ({
      ...{ ...DEFAULTS, ...environment, ...trustedProxies(facts) },
      FOLLOWER_UPSTREAM_URL: nodes
        .filter(({ role }) => role === "validator")
        .slice(0, 2)
        .map(({ port }) => url(port + PORT_OF.feed))
        .join(","),
      FOLLOWER_RPC_URL: url(portOf(nodes, "validator-1")),
    }),
  };
  const own = roles[node.role];
  const args = MODE_FLAGS[node.role];
  if (own === undefined || args === undefined) throw new RangeError(`${node.role} is no mode of svc start`);
  return { args, variables: { ...own(), ...portSettings(node), DATA_DIRECTORY: folder.data(node.name) } };
}

/** Settings of a validator that is left to others, as variables: those of the network's validators, without secrets. */
export function leftSettings(
  name: string,
  port: number,
  facts: NetworkFacts,
  environment: NodeJS.ProcessEnv,
): Variables {
  return {
    ...{ ...inNetwork({ port }, facts, named(SHOWN, environment)), ...portSettings({ port }) },
    KEY_STORE_DIRECTORY: facts.folder.keys(name),
    DATA_DIRECTORY: facts.folder.data(name),
  };
}

/** Variables as a file that a shell reads. */
export function shellFile(variables: Variables): string {
  return Object.entries(variables)
    .map(([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'\n`)
    .join("");
}
