import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { examine } from "../../../src/cli/doctor/run-doctor.ts";
import { type Configuration, configure } from "../../../src/config/configuration.ts";
import { partValues } from "../../../src/config/part-values.ts";
import { checkStart } from "../../../src/modes/start-checks.ts";
import { nodePorts, portFault } from "../../../src/node/settings/free-ports.ts";
import { runSvc } from "../../world/cli/run-svc.ts";

const REGISTRY = { REGISTRY_CONTRACT_ADDRESS: `0x${"11".repeat(20)}` };
const L1 = { ETHEREUM_HOSTS: "http://127.0.0.1:1", ...REGISTRY };

const NO_SOURCE =
  "name a store of this network by BLOB_FILE_STORE_URLS, or a beacon node by L1_CONSENSUS_HOST_URLS; on a new network " +
  "a store is made by the node that uploads to it (BLOB_FILE_STORE_UPLOAD_URL), and until then " +
  "BLOB_ALLOW_EMPTY_SOURCES=true starts without one";

/** What is given, and the one line that says why nothing starts with it. */
type Refused = readonly [what: string, modes: readonly string[], environment: Record<string, string>, reason: string];

const REFUSED: readonly Refused[] = [
  ["no mode", [], {}, "No module specified to start; svc start --node runs a node"],
  ["no L1", ["--node"], REGISTRY, "An L1 RPC URL is required: give --l1-rpc-urls or ETHEREUM_HOSTS"],
  ["two modes", ["--p2p-bootstrap", "--node"], L1, "--p2p-bootstrap runs alone, not with the other modes"],
  [
    "a group without a database",
    ["--node"],
    { ...L1, VALIDATOR_HA_SIGNING_ENABLED: "true" },
    "high-availability signing needs a database: give VALIDATOR_HA_DATABASE_URL",
  ],
  [
    "a keystore that is not there",
    ["--node", "--sequencer"],
    { ...L1, KEY_STORE_DIRECTORY: "/nowhere/keys" },
    "/nowhere/keys: cannot be read (ENOENT): KEY_STORE_DIRECTORY must name a keystore file or a folder of them",
  ],
  [
    "folders of blobs that are not there",
    ["--node"],
    { ...L1, BLOB_FILE_STORE_URLS: "file:///nowhere/blobs" },
    `no blob source can be reached: file:///nowhere/blobs: there is no such folder; ${NO_SOURCE}`,
  ],
  [
    "a log file in a folder that is not there",
    ["--node"],
    { ...L1, SVC_LOG_FILE: "/nowhere/node.log" },
    "--log-file /nowhere/node.log must be a file that this user can write, in a folder that exists (ENOENT)",
  ],
];

const ALSO_REFUSED: readonly Refused[] = [
  [
    "a folder as log file of a bootnode",
    ["--p2p-bootstrap"],
    { P2P_IP: "127.0.0.1", SVC_LOG_FILE: "/tmp" },
    "--log-file /tmp must be a file that this user can write, in a folder that exists (EISDIR)",
  ],
  [
    "a sequencer without keys",
    ["--node", "--sequencer"],
    L1,
    "options: KEY_STORE_DIRECTORY or VALIDATOR_PRIVATE_KEYS must be set: a sequencer needs the keys of validators or publishers",
  ],
  [
    "a fisherman without peers",
    ["--node"],
    { ...L1, FISHERMAN_MODE: "true" },
    "FISHERMAN_MODE needs P2P_ENABLED: proposals come from peers",
  ],
  [
    "a prover node without keys",
    ["--prover-node"],
    { ...L1, PROVER_REAL_PROOFS: "false" },
    "options: PROVER_PUBLISHER_PRIVATE_KEYS must be set: a prover node submits proofs with the keys of its own publishers",
  ],
  [
    "handshakes that are needed and off",
    ["--node"],
    { ...L1, P2P_ENABLED: "true", P2P_ALLOW_ONLY_VALIDATORS: "true", P2P_DISABLE_STATUS_HANDSHAKE: "true" },
    "P2P_ALLOW_ONLY_VALIDATORS needs the handshake that P2P_DISABLE_STATUS_HANDSHAKE disables: set one of them",
  ],
  [
    "a bot on a node that checks proofs",
    ["--node", "--bot"],
    L1,
    "--bot needs a node that checks no proofs: PROVER_REAL_PROOFS=false",
  ],
  [
    "required API keys without a file",
    ["--node", "--rpc-require-api-key"],
    L1,
    "API keys file: it is not given, but --rpc-require-api-key asks for keys",
  ],
  [
    "an upload to a folder that cannot be written",
    ["--node"],
    { ...L1, BLOB_FILE_STORE_UPLOAD_URL: "file:///proc/blobs" },
    "BLOB_FILE_STORE_UPLOAD_URL cannot be used: objects cannot be stored there: /proc is no storage (file:///proc/blobs)",
  ],
  [
    "snapshots in a bucket without a name",
    ["--node"],
    { ...L1, SYNC_SNAPSHOTS_URLS: "s3:///x" },
    "SYNC_SNAPSHOTS_URLS cannot be used: a store in S3 must name a bucket: s3://bucket/path (s3:///x)",
  ],
  [
    "a peer key that is none",
    ["--node"],
    { ...L1, P2P_ENABLED: "true", PEER_ID_PRIVATE_KEY: "0x1234" },
    "the configured peer id private key (PEER_ID_PRIVATE_KEY) must be 08021220 and the 64 hex digits of a secp256k1 key, as generate-p2p-private-key prints it; got 4 characters",
  ],
  [
    "an agent without circuits",
    ["--prover-agent"],
    { PROVER_BROKER_HOST: "http://127.0.0.1:1" },
    "real proofs need the published circuits: SVC_PROVER_CIRCUITS_PATH is not set (docs/proving.md#real-proofs); or give PROVER_REAL_PROOFS=false",
  ],
  [
    "agents with a store of proofs that cannot be written",
    ["--prover-agent"],
    {
      PROVER_BROKER_HOST: "http://127.0.0.1:1",
      PROVER_REAL_PROOFS: "false",
      PROVER_PROOF_STORE: "file:///proc/proofs",
    },
    "PROVER_PROOF_STORE cannot be used: objects cannot be stored there: /proc is no storage (file:///proc/proofs)",
  ],
  [
    "a prover node with a store of proofs without its keys",
    ["--prover-node"],
    {
      ...L1,
      PROVER_REAL_PROOFS: "false",
      PROVER_PUBLISHER_PRIVATE_KEYS: `0x${"5d".repeat(32)}`,
      PROVER_BROKER_HOST: "http://127.0.0.1:1",
      PROVER_PROOF_STORE: "s3://proofs/x",
    },
    "PROVER_PROOF_STORE cannot be used: writing to s3:// stores needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (s3://proofs/x)",
  ],
  [
    "a local network on two L1s",
    ["--local-network"],
    { ETHEREUM_HOSTS: "http://127.0.0.1:1,http://127.0.0.1:2" },
    "--local-network takes one URL of --l1-rpc-urls: it moves the time of that L1",
  ],
];

const configured = (modes: readonly string[], environment: Record<string, string>) =>
  configure({ flags: new Map(modes.map((flag) => [flag, "true"])), environment });

/** What svc doctor fails, and the remedies. */
async function diagnosed(configuration: Configuration): Promise<{ texts: string[]; remedies: (string | undefined)[] }> {
  const failed = (await examine(configuration)).filter(({ verdict }) => verdict === "fail");
  return { texts: failed.map(({ text }) => text), remedies: failed.map(({ remedy }) => remedy) };
}

const OPTION = /--[a-z]|[A-Z0-9]+_[A-Z_]+/;

test.each(REFUSED)(
  "svc config --check and svc doctor refuse %s in the words of svc start",
  async (_, modes, environment, reason) => {
    const directory = mkdtempSync(join(tmpdir(), "svc-start-checks-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const given = [...modes, "--data-directory", directory];
    const [checked, started, { texts, remedies }] = await Promise.all([
      runSvc(["config", "--check", ...given], environment),
      runSvc(["start", ...given], environment),
      diagnosed(configured(modes, environment)),
    ]);
    expect([checked.code, checked.stdout]).toEqual([1, `error: ${reason}\n1 error\n`]);
    expect([started.code, started.stdout, started.stderr]).toEqual([1, "", `error: ${reason}\n`]);
    expect(reason).toMatch(OPTION);
    expect(texts.filter((text) => reason.startsWith(text))).toHaveLength(1);
    expect(remedies).not.toContain(undefined);
  },
);

test.each(ALSO_REFUSED)(
  "no start is attempted with %s, and svc doctor fails it",
  async (_, modes, environment, reason) => {
    const configuration = configured(modes, environment);
    const { faults } = await checkStart(configuration);
    expect(faults.map(({ message }) => message)).toEqual([reason]);
    expect(reason).toMatch(OPTION);
    const { texts, remedies } = await diagnosed(configuration);
    expect(texts).toContain(reason);
    expect(remedies).not.toContain(undefined);
  },
);

const PORTS = [
  ["--port", "public port"],
  ["--metrics-port", "metrics port"],
  ["--p2p-port", "peer port"],
] as const;

test.each(PORTS)("svc doctor and svc start refuse a taken %s before L1 is asked", async (option, name) => {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const environment = {
    ...{ ...L1, P2P_LISTEN_ADDR: "127.0.0.1", SVC_RPC_HOST: "127.0.0.1", AZTEC_PORT: "0", AZTEC_ADMIN_PORT: "0" },
    ...(option === "--p2p-port" ? { P2P_ENABLED: "true", P2P_IP: "127.0.0.1", P2P_PORT: String(port) } : {}),
  };
  const flags = option === "--p2p-port" ? [] : [option, String(port)];
  const [started, { texts, remedies }] = await Promise.all([
    runSvc(["start", "--node", ...flags], environment),
    diagnosed(
      configure({
        flags: new Map([["--node", "true"], ...(flags.length ? [[option, String(port)] as const] : [])]),
        environment,
      }),
    ),
  ]);
  expect(started.code).toBe(1);
  expect(started.stderr).toContain(
    `the ${name} cannot listen on 127.0.0.1 port ${port}: the port is in use (EADDRINUSE); stop`,
  );
  expect(started.stderr).not.toContain("waiting for L1");
  expect(texts).toContain(`TCP 127.0.0.1:${port} is in use by another program`);
  const moved = option === "--p2p-port" ? "P2P_PORT" : option;
  expect(remedies).toContain(`stop the program that has it (ss -lnp | grep ${port}), or give another ${moved}`);
});

test("svc doctor and svc start name both options of one port", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  const environment = { ...L1, AZTEC_PORT: String(port), AZTEC_ADMIN_PORT: String(port) };
  const [started, { texts, remedies }] = await Promise.all([
    runSvc(["start", "--node"], environment),
    diagnosed(configured(["--node"], environment)),
  ]);
  const remedy = "give another --port or --admin-port";
  expect(started.stderr).toContain(`port ${port}: the public port of this node has it; ${remedy}`);
  expect(texts.filter((text) => text.includes(`:${port}`))).toEqual([
    `TCP 127.0.0.1:${port}: the public port of this node has it`,
  ]);
  expect(remedies).toContain(remedy);
});

test("without discovery a taken UDP port is no fault", async () => {
  const socket = createSocket("udp4");
  onTestFinished(() => void socket.close());
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address();
  const environment = { ...L1, P2P_ENABLED: "true", P2P_LISTEN_ADDR: "127.0.0.1", P2P_PORT: String(port) };
  const values = (disabled: string) =>
    partValues(configured(["--node"], { ...environment, P2P_DISCOVERY_DISABLED: disabled }).values);
  const faults = async (disabled: string) => {
    const found = await Promise.all(nodePorts(values(disabled)).map(portFault));
    return found.flatMap((fault) => fault?.message ?? []).filter((text) => text.includes("peer port"));
  };
  expect(await faults("true")).toEqual([]);
  expect(await faults("false")).toEqual([expect.stringContaining(`127.0.0.1 UDP port ${port}`)]);
});

test("svc config --check names every reason at once", async () => {
  const args = ["config", "--check", "--node", "--sequencer", "--rpc-require-api-key"];
  const { code, stdout } = await runSvc(args, { VALIDATOR_HA_SIGNING_ENABLED: "true" });
  expect([code, stdout.split("\n").length]).toEqual([1, 7]);
  expect(stdout).toMatch(/L1 RPC URL.*registry address.*API keys file.*database.*KEY_STORE_DIRECTORY.*5 errors\n/s);
});
