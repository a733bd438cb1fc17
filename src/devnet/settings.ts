import type { DeployedDevnet, DevnetFolder } from "./folder.ts";
import { L1_CHAIN_ID } from "./l1-part.ts";
import { type DevnetPlan, leftPort, type PlannedNode, PORT_OF, type Role } from "./plan.ts";

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

/** Variables that would make a node another one than that of the network, or have secrets that it does not need. */
const NOT_PASSED =
  /^(?:NETWORK|SVC_CONFIG|SVC_LOG_FILE|DATA_DIRECTORY|KEY_STORE_DIRECTORY|COINBASE|FEE_RECIPIENT|PEER_ID_|BOOTSTRAP_NODES|.*PRIVATE_KEYS?|MNEMONIC|ETHEREUM_HOSTS|L1_.*|.*_CONTRACT_ADDRESS|ROLLUP_VERSION|BLOB_.*|FOLLOWER_.*|PROVER_BROKER_HOST)$/;

/** Variables of this process that its nodes get: those of the system, and settings that are the same for all nodes. */
export function passedVariables(environment: NodeJS.ProcessEnv): Variables {
  const passed = Object.entries(environment).filter(([name, value]) => value !== undefined && !NOT_PASSED.test(name));
  return Object.fromEntries(passed) as Variables;
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
export function bootnodeStart(node: PlannedNode, folder: DevnetFolder): NodeStart {
  return {
    args: ["--p2p-bootstrap"],
    variables: {
      ...{ ...portSettings(node), ...peerSettings(node), L1_CHAIN_ID: String(L1_CHAIN_ID) },
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

/** How a node of the network is started. */
export function nodeStart(node: PlannedNode, facts: NetworkFacts, environment: Variables): NodeStart {
  const { plan, folder, nodes } = facts;
  const broker = () => url(portOf(nodes, "broker"));
  const trusted: Variables = plan.haproxy || plan.followers > 0 ? { SVC_RPC_TRUSTED_PROXIES: LOOPBACK } : {};
  const inNetwork = (): Variables => ({
    ...{ ...DEFAULTS, ...nodeDefaults(facts), ...environment, ...networkSettings(facts), ...peerSettings(node) },
    ...trusted,
  });
  const roles: Readonly<Partial<Record<Role, () => Variables>>> = {
    validator: () => ({
      ...inNetwork(),
      KEY_STORE_DIRECTORY: folder.keys(node.name),
      ...(plan.followers > 0 && { SVC_FEED_PORT: String(node.port + PORT_OF.feed), SVC_FEED_HOST: LOOPBACK }),
    }),
    "prover broker": () => ({ ...DEFAULTS, ...environment }),
    "prover node": () => ({
      ...inNetwork(),
      KEY_STORE_DIRECTORY: folder.keys(node.name),
      PROVER_BROKER_HOST: broker(),
      PROVER_AGENT_COUNT: "0",
      PROVER_NODE_POLLING_INTERVAL_MS: "1000",
    }),
    "prover agent": () => ({ ...DEFAULTS, ...environment, PROVER_BROKER_HOST: broker(), PROVER_REAL_PROOFS: "false" }),
    follower: () => ({
      ...{ ...DEFAULTS, ...environment, ...trusted },
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

/** Settings of a validator that is left to others, as variables. */
export function leftSettings(name: string, index: number, basePort: number, facts: NetworkFacts): Variables {
  const port = leftPort(facts.plan, basePort, index);
  return {
    ...{ ...nodeDefaults(facts), ...networkSettings(facts), ...peerSettings({ port }), ...portSettings({ port }) },
    AZTEC_DISABLE_ADMIN_API_KEY: "true",
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
