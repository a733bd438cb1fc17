import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ConfigFileError, parseConfigFile } from "../../src/config/config-file.ts";
import { configure } from "../../src/config/configuration.ts";
import { shownOrigin } from "../../src/config/errors.ts";
import { runSvc } from "../world/cli/run-svc.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-config-file-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const values = (text: string) =>
  Object.fromEntries([...parseConfigFile("node.yaml", text).values].map(([k, v]) => [k, v.text]));
const faults = (text: string): readonly string[] => {
  try {
    parseConfigFile("node.yaml", text);
  } catch (error) {
    if (error instanceof ConfigFileError) return error.faults;
    throw error;
  }
  return [];
};

const EXAMPLE = `# a node
node: true
ETHEREUM_HOSTS:
  - http://a:8545
  - http://b:8545
REGISTRY_CONTRACT_ADDRESS: 0x00000000000000000000000000000000000000aa
AZTEC_PORT: 8088
L1_CHAIN_ID: 0031337
API_PREFIX:
`;

test("scalars of a configuration file are taken as written, and lists are joined", () => {
  expect(values(EXAMPLE)).toEqual({
    node: "true",
    ETHEREUM_HOSTS: "http://a:8545,http://b:8545",
    REGISTRY_CONTRACT_ADDRESS: "0x00000000000000000000000000000000000000aa",
    AZTEC_PORT: "8088",
    L1_CHAIN_ID: "0031337",
    API_PREFIX: "",
  });
  expect(values("")).toEqual({});
  expect(values("# nothing\n")).toEqual({});
});

test("a value of the file ranks below flag and variable, and above the default", () => {
  const file = parseConfigFile("node.yaml", EXAMPLE);
  const flags = new Map([["--port", "1"]]);
  const port = (given: { flags?: Map<string, string>; environment?: Record<string, string> }) => {
    const { values, origins } = configure({ flags: new Map(), environment: {}, file, ...given });
    return [values.port, shownOrigin(origins.port)];
  };
  expect(port({ flags, environment: { AZTEC_PORT: "2" } })).toEqual([1, "flag --port"]);
  expect(port({ environment: { AZTEC_PORT: "2" } })).toEqual([2, "environment AZTEC_PORT"]);
  expect(port({})).toEqual([8088, "file node.yaml line 7"]);
  const { values, origins } = configure({ flags: new Map(), environment: { node: "false" }, file });
  expect([values.node, values.l1RpcUrls]).toEqual([true, ["http://a:8545", "http://b:8545"]]);
  expect(origins.apiPrefix).toEqual({ kind: "default" });
});

test("a file ranks above the network file and the preset, and may name the network", () => {
  const file = parseConfigFile("node.yaml", "NETWORK: testnet\nBOOTSTRAP_NODES: enr:own\n");
  const networkFile = { location: "net.json", variables: { BOOTSTRAP_NODES: "enr:net" } };
  const { values, origins } = configure({ flags: new Map(), environment: {}, file, networkFile });
  expect([values.network, values.bootstrapNodes, origins.bootstrapNodes.kind]).toEqual([
    "testnet",
    ["enr:own"],
    "file",
  ]);
});

test.each([
  ["ETHEREUM_HOST: x", 'line 1: unknown key "ETHEREUM_HOST"; the nearest known one is ETHEREUM_HOSTS'],
  ["\n\nl1-rpc-urls: x", 'line 3: unknown key "l1-rpc-urls"; the nearest known one is ETHEREUM_HOSTS'],
  ["p2pEnabled: true", 'line 1: unknown key "p2pEnabled"; the nearest known one is P2P_ENABLED'],
  ["P2P_ENABELD: true", 'line 1: unknown key "P2P_ENABELD"; the nearest known one is P2P_ENABLED'],
  ["AZTEC_PORT: {a: 1}", "line 1: AZTEC_PORT must be a text or a list of texts"],
  ["AZTEC_PORT: [[1]]", "line 1: AZTEC_PORT must be a text or a list of texts"],
  ["? [a]\n: 1", "line 1: each key must be a text"],
  ["AZTEC_PORT: 1\nAZTEC_PORT: 2", "line 2: each key may be given once"],
  ["AZTEC_PORT: [1", "line 1: is not YAML (bad collection type)"],
  ["- a", "must be a YAML mapping of keys to values"],
  ["a: 1\n---\nb: 2", "must be one YAML document"],
  [
    "UV_THREADPOOL_SIZE: 4",
    "line 1: UV_THREADPOOL_SIZE must be an environment variable: Node.js reads it before the file",
  ],
])("the configuration file %j is refused with line and rule", (text, fault) => {
  expect(faults(text)[0].replace(/\(.*\)$/, "(..)")).toBe(fault.replace(/\(.*\)$/, "(..)"));
});

test("a file of aliases within aliases is refused without expanding them", () => {
  const bomb = [
    "a0: &a0 [x, x]",
    ...Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`),
  ].join("\n");
  expect(faults(bomb).length).toBeGreaterThan(0);
});

test("svc config --check prints all errors of all sources with their origins, and no secret", async () => {
  const path = join(folder, "node.yaml");
  writeFileSync(path, "NETWORK: local\nAZTEC_PORT: many\nVALIDATOR_PRIVATE_KEYS: verysecret\n");
  chmodSync(path, 0o600);
  const check = (file: string, environment: Record<string, string> = {}) =>
    runSvc(["config", "--check", "--config", file, "--rpcMaxBatchSize", "0"], environment);
  const { code, stdout } = await check(path, { AZTEC_ADMIN_PORT: "-1" });
  expect(code).toBe(1);
  expect(stdout).toContain(
    `error: AZTEC_PORT in ${path} line 2 must be a whole decimal number from 0 to 65535; got "many"`,
  );
  expect(stdout).toContain("error: environment variable AZTEC_ADMIN_PORT must be");
  expect(stdout).toContain("error: --rpcMaxBatchSize must be");
  expect(stdout).toContain(`VALIDATOR_PRIVATE_KEYS in ${path} line 3 must`);
  expect(stdout).not.toContain("verysecret");
  expect(stdout.trimEnd().split("\n").at(-1)).toBe("4 errors");
  const absent = await check(join(folder, "none.yaml"));
  expect(absent.code).toBe(1);
  expect(absent.stdout).toMatch(
    /^error: .*none\.yaml cannot be read \(ENOENT\)\nerror: --rpcMaxBatchSize .*\n2 errors\n$/,
  );
});

test("a file with secrets that others may read is warned about", async () => {
  const path = join(folder, "open.yaml");
  writeFileSync(path, `VALIDATOR_PRIVATE_KEYS: 0x${"5d".repeat(32)}\n`);
  const warnings = async (mode: number) => {
    chmodSync(path, mode);
    return (await runSvc(["config", "--config", path])).stderr;
  };
  expect(await warnings(0o644)).toBe(`warning: other users may read the secrets in ${path}: chmod 600\n`);
  expect(await warnings(0o600)).toBe("");
  writeFileSync(path, "ETHEREUM_HOSTS: http://127.0.0.1:8545\nNETWORK: local\n");
  expect(await warnings(0o644)).toBe("");
  writeFileSync(path, "ETHEREUM_HOSTS: http://user:correct-horse@127.0.0.1:8545\n");
  expect(await warnings(0o644)).toContain("other users may read the secrets");
});

test("svc config --check names wrong values beside unknown keys", async () => {
  const path = join(folder, "both.yaml");
  writeFileSync(path, "AZTEC_PRT: 8080\nSVC_RPC_HOST: 0.0.0.0\nAZTEC_ADMIN_PORT: 99999\n");
  const { stdout, code } = await runSvc(["config", "--check", "--config", path], { AZTEC_ADMIN_PORT: "" });
  expect([code, stdout.split("\n").length]).toEqual([1, 4]);
  expect(stdout).toContain(`error: ${path} line 1: unknown key "AZTEC_PRT"; the nearest known one is AZTEC_PORT\n`);
  expect(stdout).toMatch(/error: .*AZTEC_ADMIN_PORT.*line 3.*65535/);
});

test("svc config --check of a valid file ends with 0, and svc config shows the line of a value", async () => {
  const path = join(folder, "valid.yaml");
  writeFileSync(path, EXAMPLE);
  const [checked, shown] = await Promise.all([
    runSvc(["config", "--check"], { SVC_CONFIG: path }),
    runSvc(["config", "--config", path]),
  ]);
  expect([checked.code, checked.stdout]).toEqual([0, "the configuration is valid\n"]);
  expect(shown.stdout).toMatch(new RegExp(`port +8088 {2}\\(file ${path} line 7\\)`));
});

test("a file with thousands of unknown keys is refused with the first faults and their number", () => {
  const text = Array.from({ length: 60_000 }, (_, i) => `UNKNOWN_${i}: x`).join("\n");
  const fault = (): ConfigFileError => {
    try {
      parseConfigFile("node.yaml", text);
    } catch (error) {
      return error as ConfigFileError;
    }
    throw new Error("it was taken");
  };
  const { faults } = fault();
  expect(faults).toHaveLength(21);
  expect(faults[19]).toMatch(/^line 20: unknown key "UNKNOWN_19"; the nearest known one is/);
  expect(faults[20]).toBe("and 59980 more faults");
});
