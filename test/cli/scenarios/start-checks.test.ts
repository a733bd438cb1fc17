import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { configure } from "../../../src/config/configuration.ts";
import { checkStart } from "../../../src/modes/start-checks.ts";
import { runSvc } from "../../world/cli/run-svc.ts";

const REGISTRY = { REGISTRY_CONTRACT_ADDRESS: `0x${"11".repeat(20)}` };
const L1 = { ETHEREUM_HOSTS: "http://127.0.0.1:1", ...REGISTRY };

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
    "/nowhere/keys: cannot be read (ENOENT)",
  ],
];

const ALSO_REFUSED: readonly Refused[] = [
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
    "an agent without circuits",
    ["--prover-agent"],
    { PROVER_BROKER_HOST: "http://127.0.0.1:1" },
    "real proofs need the published circuits: SVC_PROVER_CIRCUITS_PATH is not set (docs/proving.md#real-proofs); or give PROVER_REAL_PROOFS=false",
  ],
  [
    "a local network on two L1s",
    ["--local-network"],
    { ETHEREUM_HOSTS: "http://127.0.0.1:1,http://127.0.0.1:2" },
    "--local-network takes one URL of --l1-rpc-urls: it moves the time of that L1",
  ],
];

test.each(REFUSED)("svc config --check refuses %s in the words of svc start", async (_, modes, environment, reason) => {
  const directory = mkdtempSync(join(tmpdir(), "svc-start-checks-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const given = [...modes, "--data-directory", directory];
  const [checked, started] = await Promise.all([
    runSvc(["config", "--check", ...given], environment),
    runSvc(["start", ...given], environment),
  ]);
  expect([checked.code, checked.stdout]).toEqual([1, `error: ${reason}\n1 error\n`]);
  expect([started.code, started.stdout, started.stderr]).toEqual([1, "", `error: ${reason}\n`]);
});

test.each(ALSO_REFUSED)("no start is attempted with %s", async (_, modes, environment, reason) => {
  const { faults } = await checkStart(configure({ flags: new Map(modes.map((flag) => [flag, "true"])), environment }));
  expect(faults.map(({ message }) => message)).toEqual([reason]);
});

test("svc config --check names every reason at once", async () => {
  const args = ["config", "--check", "--node", "--sequencer", "--rpc-require-api-key"];
  const { code, stdout } = await runSvc(args, { VALIDATOR_HA_SIGNING_ENABLED: "true" });
  expect([code, stdout.split("\n").length]).toEqual([1, 7]);
  expect(stdout).toMatch(/L1 RPC URL.*registry address.*API keys file.*database.*KEY_STORE_DIRECTORY.*5 errors\n/s);
});
