import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runSvc, spawnSvc } from "../world/cli/run-svc.ts";

const REGISTRY = ["--registry-address", `0x${"11".repeat(20)}`];
const L1 = ["--l1-rpc-urls", "http://127.0.0.1:1"];
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "..", "..", "package.json"), "utf8"));

test("svc --version prints the version of the package", async () => {
  expect(await runSvc(["--version"])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: "" });
});

test("svc help shows the options by group, with defaults and variables", async () => {
  const { code, stdout } = await runSvc(["start", "--help"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^RPC:$/m);
  expect(stdout).toMatch(/--port <n> +public JSON-RPC port, 0 for any free one \(default 8080; env AZTEC_PORT\)/);
  expect(stdout).toMatch(/^ +LOG_LEVEL +log level, then/m);
});

test("a command whose reader leaves early ends without an error", async () => {
  const svc = spawnSvc(["config", "--json"]);
  svc.child.stdout?.destroy();
  expect(await svc.ended).toMatchObject({ code: 0, stderr: "" });
});

describe("wrong usage", () => {
  test.each<[string, string[], Record<string, string>, string]>([
    ["no mode", ["start"], {}, "error: No module specified to start; svc start --node runs a node\n"],
    ["a sequencer alone", ["start", "--sequencer"], {}, "error: Cannot run a standalone sequencer without a node\n"],
    [
      "agents without a broker",
      ["start", "--prover-agent"],
      {},
      "error: Agents get their jobs from a broker: give --proverAgent.proverBrokerUrl or PROVER_BROKER_HOST\n",
    ],
    [
      "an option of a part that is not available",
      ["start", "--node"],
      { DUMP_AVM_INPUTS_TO_DIR: "/x" },
      "error: not available in this version: DUMP_AVM_INPUTS_TO_DIR (execution)\n",
    ],
    [
      "a network file that cannot be read",
      ["start", "--node", "--network", "testnet"],
      { NETWORK_CONFIG_LOCATION: "/nowhere/network.json", DATA_DIRECTORY: "/nowhere" },
      "error: the network file of testnet could not be read: /nowhere/network.json: the file cannot be read (ENOENT)\n",
    ],
    [
      "a flag that was renamed",
      ["start", "--node", "--bot.baseFeePadding", "5"],
      {},
      "error: unknown option '--bot.baseFeePadding': it was renamed: use --bot.minFeePadding\n",
    ],
    [
      "two spellings with two values",
      ["start", "--node", "--maxL2BlockGas", "5", "--sequencer.maxL2BlockGas", "6"],
      {},
      "error: --maxL2BlockGas and --sequencer.maxL2BlockGas set the same option and must have the same value\n",
    ],
    [
      "an unknown network",
      ["start", "--node"],
      { NETWORK: "moon" },
      "error: environment variable NETWORK must be one of local,",
    ],
    ["no L1", ["start", "--node"], {}, "error: An L1 RPC URL is required: give --l1-rpc-urls or ETHEREUM_HOSTS\n"],
    ["no registry", ["start", "--node", ...L1], {}, "error: L1 registry address is required to start a node"],
    [
      "a zero registry",
      ["start", "--node", ...L1, "--registry-address", `0x${"00".repeat(20)}`],
      {},
      "error: L1 registry address is required",
    ],
    [
      "a bad port",
      ["start", "--node", "--port", "http"],
      {},
      'error: --port must be a whole decimal number from 0 to 65535; got "http"\n',
    ],
    [
      "a bad log level",
      ["start", "--node", ...L1, ...REGISTRY],
      { LOG_LEVEL: "loud" },
      "error: environment variable LOG_LEVEL must be a level (silent, fatal,",
    ],
    ["a key in a bad URL", ["start", "--node"], { ETHEREUM_HOSTS: "rpc.example/key-0123456789" }, "got 26 characters"],
  ])("svc with %s exits with 1 and one line that says what is wrong", async (_, args, environment, message) => {
    const { code, stdout, stderr } = await runSvc(args, environment);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("0123456789");
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  test.each([
    ["--maxBlockSizeInBytes", ": it was removed: blocks are limited by blob fields and gas"],
    ["--nonsense", ""],
  ])("svc with the unknown flag %s exits with 1", async (flag, advice) => {
    const { code, stderr } = await runSvc(["start", "--node", flag, "5"]);
    expect(code).toBe(1);
    expect(stderr).toContain(`error: unknown option '${flag}'${advice}`);
  });
});

describe("svc config", () => {
  const environment = {
    AZTEC_PORT: "9000",
    ETHEREUM_HOSTS: "https://rpc.example/v3/0123456789abcdef",
    L1_CONSENSUS_HOST_API_KEYS: "consensus-key",
  };

  test("svc config shows each value with its source, without secrets", async () => {
    const { code, stdout } = await runSvc(
      ["config", "--port", "9001", "--archiver.blobAllowEmptySources"],
      environment,
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^port +9001 {2}\(flag --port\)$/m);
    expect(stdout).toMatch(/^blobAllowEmptySources +true {2}\(flag --archiver.blobAllowEmptySources\)$/m);
    expect(stdout).toMatch(/^l1RpcUrls +https:\/\/rpc.example\/\[Redacted\] {2}\(environment ETHEREUM_HOSTS\)$/m);
    expect(stdout).toMatch(/^l1ChainId +31337 {2}\(default\)$/m);
    expect(stdout).not.toMatch(/consensus-key|0123456789abcdef/);
  });

  test("svc config shows no secret of any kind, and warns on standard error", async () => {
    const key = "c0ffee".repeat(11).slice(0, 64);
    const secrets = {
      VALIDATOR_PRIVATE_KEYS: `0x${key},${key}`,
      BOT_L1_MNEMONIC: `${key} words`,
      SEQ_MAX_TX_PER_BLOCK: "5",
    };
    for (const form of [[], ["--json"]]) {
      const { code, stdout, stderr } = await runSvc(["config", ...form, "--bot.l1PrivateKey", key], secrets);
      expect(code).toBe(0);
      expect(stdout + stderr).not.toContain(key);
      expect(stdout).toContain("[Redacted]");
      expect(stderr).toContain("warning: environment variable SEQ_MAX_TX_PER_BLOCK has no effect");
    }
  });

  test("svc config refuses what svc start refuses, without showing a secret", async () => {
    const level = await runSvc(["config"], { LOG_LEVEL: "loud" });
    expect(level).toMatchObject({ code: 1, stdout: "" });
    expect(level.stderr).toContain('got "loud" (Invalid log level: loud)');
    const key = "c0ffee".repeat(11).slice(0, 64);
    const testServer = await runSvc(["config", "--txe"], { PROVER_PUBLISHER_PRIVATE_KEY: key });
    expect(testServer).toMatchObject({ code: 1, stdout: "" });
    expect(testServer.stderr).toBe("error: not available in this version: --txe (test server)\n");
    const badKey = await runSvc(["config"], { PROVER_PUBLISHER_PRIVATE_KEY: `${key}0` });
    expect(badKey).toMatchObject({ code: 1, stdout: "" });
    expect(badKey.stderr).not.toContain(key);
  });

  test("svc config shows values set by a network and leaves no file behind", async () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-config-test-"));
    const file = join(folder, "network.json");
    const registryAddress = `0x${"11".repeat(20)}`;
    writeFileSync(file, JSON.stringify({ testnet: { bootnodes: [], snapshots: [], l1ChainId: 5, registryAddress } }));
    const { code, stdout } = await runSvc(["config", "--network", "alpha-testnet"], {
      HOME: folder,
      NETWORK_CONFIG_LOCATION: file,
    });
    expect(code).toBe(0);
    expect(stdout).toContain(`${registryAddress}  (network file ${file})`);
    expect(stdout).toMatch(/^slashingQuorum +33 {2}\(preset testnet\)$/m);
    expect(stdout).toContain(`${folder}/.aztec/testnet/data  (preset testnet)`);
    expect(readdirSync(folder)).toEqual(["network.json"]);
    rmSync(folder, { recursive: true });
  });

  test("svc config --json prints JSON", async () => {
    const { stdout } = await runSvc(["config", "--json"], environment);
    expect(JSON.parse(stdout)).toMatchObject({
      port: { value: "9000", origin: "environment AZTEC_PORT" },
      l1ConsensusHostApiKeys: { value: "[Redacted]" },
    });
  });
});
