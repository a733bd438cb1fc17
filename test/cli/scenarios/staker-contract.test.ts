import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rollupAbi } from "../../../src/l1/abi/rollup.ts";
import { read } from "../../../src/l1/contracts/contract.ts";
import { connectRollup } from "../../../src/l1/rollup/connect.ts";
import { L1Rpc } from "../../../src/l1/rpc/l1-rpc.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { runSvc } from "../../world/cli/run-svc.ts";
import { CHAIN_A_REGISTRY, type ChainA, startChainA } from "../../world/l1/chain-a.ts";

let chain: ChainA;
let gse: string;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-staker-"));
  chain = await startChainA();
  const { identity } = await connectRollup({
    l1RpcUrls: [chain.url],
    l1ChainId: 31337,
    registryAddress: CHAIN_A_REGISTRY,
    ethereumSlotDuration: 12,
  });
  const rollup = { name: "Rollup", address: identity.addresses.rollupAddress, abi: rollupAbi };
  gse = await read(new L1Rpc({ urls: [chain.url], logger: silentLogger }), rollup, "getGSE", []);
});
afterAll(async () => {
  await chain.stop();
  rmSync(folder, { recursive: true, force: true });
});

const KEYSTORE = new URL("../../fixtures/keystore/reference-keystore.json", import.meta.url).pathname;
const staker = (...args: string[]) =>
  runSvc(["validator-keys", "staker", "--from", KEYSTORE, "--output", folder, "--l1-rpc-urls", chain.url, ...args]);

test("the contract of stakes agrees with the proofs of possession of staker output", async () => {
  const { code, stdout, stderr } = await staker("--gse-address", gse, "--l1-chain-id", "31337");
  const file = join(folder, "reference-keystore_staker_output.json");
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: `Staker output of 3 validator(s): ${file}\n`,
    stderr: "",
  });
  expect(JSON.parse(readFileSync(file, "utf8"))).toHaveLength(3);
});

test("staker output is refused for another chain, and for a contract that is none of stakes", async () => {
  const other = await staker("--gse-address", gse, "--l1-chain-id", "1");
  expect(other).toMatchObject({ code: 1, stdout: "" });
  expect(other.stderr).toBe("error: --l1-chain-id is 1, but the L1 at --l1-rpc-urls has chain id 31337\n");
  const missing = await staker("--gse-address", `0x${"11".repeat(20)}`);
  expect(missing).toMatchObject({ code: 1, stdout: "" });
  expect(missing.stderr).toMatch(/GSE/);
});
