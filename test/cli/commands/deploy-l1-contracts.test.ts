import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DeployFlags, deployRequest } from "../../../src/cli/deploy/deploy-request.ts";
import { configure } from "../../../src/config/configuration.ts";
import { runSvc } from "../../world/cli/run-svc.ts";
import { type Anvil, startAnvil } from "../../world/l1/chain-a.ts";

let anvil: Anvil;
let folder: string;
beforeAll(async () => {
  anvil = await startAnvil();
  folder = mkdtempSync(join(tmpdir(), "svc-deploy-test-"));
});
afterAll(async () => {
  await anvil.stop();
  rmSync(folder, { recursive: true });
});

/** Accounts 0 and 1 of the test mnemonic. */
const [ACCOUNT_0, ACCOUNT_1] = [
  "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
  "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
];
const KEY_1 = "59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";

const deploy = (args: string[], environment: Record<string, string> = {}) =>
  runSvc(["deploy-l1-contracts", ...args], { AZTEC_SLASHER_FLAVOR: "none", ...environment });

describe("svc deploy-l1-contracts", () => {
  test("svc deploy-l1-contracts deploys, prints the addresses and writes them to a file", async () => {
    const file = join(folder, "addresses.json");
    const args = ["--l1-rpc-urls", anvil.url, "--aztecTargetCommitteeSize", "0", "--test-accounts", "--sponsored-fpc"];
    const { code, stdout, stderr } = await deploy([...args, "--output", file]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "deploying the L1 contracts\n" });
    expect(stdout).toMatch(/^registryAddress +0xb7f8bc63bbcad18155201308c8f3540b07f84f5e$/m);
    const facts = JSON.parse(readFileSync(file, "utf8"));
    expect(facts).toMatchObject({
      rollupAddress: "0x322813fd9a801c5507c9de605d63cea4f2ce6c44",
      deployerAddress: ACCOUNT_0,
      genesisArchiveRoot: "0x139ccd90571b4b64f8392d1b9cc9804a41c7aeb483d8a7dddf255fb3755bbe0d",
      l1ChainId: 31337,
    });
    for (const [name, value] of Object.entries(facts)) expect(stdout).toMatch(new RegExp(`^${name} +${value}$`, "m"));
    expect(readdirSync(folder)).toEqual(["addresses.json"]);
  });

  test("svc deploy-l1-contracts takes a key from the environment and prints JSON without it", async () => {
    const args = ["--l1-rpc-urls", anvil.url, "--aztecTargetCommitteeSize", "2", "--validators", ACCOUNT_1, "--json"];
    const { code, stdout, stderr } = await deploy(args, { PRIVATE_KEY: `0x${KEY_1}` });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ deployerAddress: ACCOUNT_1, validators: 1, queuedValidators: 0 });
    expect(stdout + stderr).not.toContain(KEY_1);
  });

  const nowhere = ["--l1-rpc-urls", "http://127.0.0.1:1"];
  test.each<[string, string[], string]>([
    ["a bad key", ["--private-key", KEY_1.slice(1)], "privateKey must be 64 hex digits"],
    ["a bad parameter", ["--aztecEpochDuration", "33"], "--aztecEpochDuration must be a whole"],
    ["a bad place", ["--output", "/nowhere/file"], "--output must be a file that can be written"],
  ])("svc deploy-l1-contracts exits with 1 and one line on %s", async (_, args, message) => {
    const { code, stdout, stderr } = await deploy([...nowhere, ...args]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(`error: ${message}`);
    expect(stderr).not.toContain(KEY_1.slice(1));
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});

describe("deployment request", () => {
  const request = (flags: DeployFlags, environment: Record<string, string> = {}) => {
    const { values } = configure({
      flags: new Map(),
      environment: { ETHEREUM_HOSTS: "http://127.0.0.1:1", ...environment },
    });
    return deployRequest(values, flags, environment);
  };

  test("by default the first test account deploys, without funding or validators", () => {
    const { deployer, feeJuicePortalFunding, validators, realVerifier } = request({});
    expect(deployer.address).toBe(ACCOUNT_0);
    expect({ feeJuicePortalFunding, validators, realVerifier }).toEqual({
      feeJuicePortalFunding: 0n,
      validators: [],
      realVerifier: false,
    });
  });

  test("a flag of a deployment overrides a variable", () => {
    expect(request({ mnemonicIndex: "1" }).deployer.address).toBe(ACCOUNT_1);
    expect(request({}, { PRIVATE_KEY: KEY_1 }).deployer.address).toBe(ACCOUNT_1);
    const words = "test test test test test test test test test test test junk";
    expect(request({ mnemonic: words }, { PRIVATE_KEY: KEY_1 }).deployer.address).toBe(ACCOUNT_0);
    expect(request({ privateKey: KEY_1 }, { MNEMONIC: words }).deployer.address).toBe(ACCOUNT_1);
  });

  test("a deployment derives separate keys for each validator", () => {
    const { validators = [] } = request({ validators: `${ACCOUNT_0}, ${ACCOUNT_1}` });
    expect(validators.map(({ attester }) => attester)).toEqual([ACCOUNT_0, ACCOUNT_1]);
    expect(validators[0].blsSecretKey).not.toBe(validators[1].blsSecretKey);
  });

  test.each<[string, DeployFlags, Record<string, string>, string]>([
    ["no L1", {}, { ETHEREUM_HOSTS: "" }, "An L1 RPC URL is required: give --l1-rpc-urls or ETHEREUM_HOSTS"],
    ["a key and a mnemonic", { privateKey: KEY_1, mnemonic: "a b" }, {}, "cannot be given together"],
    ["a bad mnemonic", { mnemonic: `${KEY_1} words` }, {}, "mnemonic must be 12 to 24 words"],
    ["a bad index", { mnemonicIndex: "one" }, {}, "mnemonicIndex must be a whole number from 0 to 2147483647"],
    ["the test mnemonic on a public chain", {}, { L1_CHAIN_ID: "1" }, "must be given on chain 1"],
    [
      "a bad validator",
      { validators: `${ACCOUNT_0},0x12` },
      {},
      "item 2 of --validators must be 40 hex digits, with or without 0x",
    ],
    [
      "an empty list of validators",
      { validators: "" },
      {},
      "--validators is empty: give L1 addresses, or leave it out",
    ],
    ["a hole in the list", { validators: `${ACCOUNT_0},,` }, {}, "item 2 of --validators must be 40 hex digits"],
    ["a bad token", { existingToken: "0x12" }, {}, "--existing-token must be 40 hex digits, with or without 0x"],
  ])("a deployment with %s is refused with field and rule", (_, flags, environment, message) => {
    expect(() => request(flags, environment)).toThrow(message);
    expect(() => request(flags, environment)).not.toThrow(KEY_1);
  });
});
