import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call, type Network, startNetwork } from "../../world/local-network/network-process.ts";

const START_LIMIT_MS = 240_000;
/** Topic of L2ProofVerified(uint256 indexed, address indexed). */
const PROOF_VERIFIED = "0x034dd13d657aeb14f8dec7291c4a8ddb3b20d40cf2412714e72f97f19c735609";

let folder: string;
let network: Network;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-proving-network-test-"));
  network = await startNetwork(["--prover-node", "--data-directory", join(folder, "data")]);
}, START_LIMIT_MS);

afterAll(async () => {
  network?.svc.child.kill("SIGINT");
  await network?.svc.ended;
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
}, 60_000);

interface Tips {
  proposed: { number: number };
  proven: { block: { number: number } };
}

test("a local network with a prover proves its epochs by submissions to L1", async () => {
  const tips = () => call<Tips>(network.url, "node_getL2Tips");
  const { proposed } = await tips();
  await expect
    .poll(async () => (await tips()).proven.block.number, { timeout: 180_000, interval: 100 })
    .toBeGreaterThanOrEqual(proposed.number);
  const { l1ContractAddresses } = await call<{ l1ContractAddresses: { rollupAddress: string } }>(
    network.url,
    "node_getNodeInfo",
  );
  const filter = { address: l1ContractAddresses.rollupAddress, topics: [PROOF_VERIFIED], fromBlock: "0x0" };
  const proofs = await call<{ topics: string[] }[]>(network.l1Url, "eth_getLogs", filter);
  expect(proofs.length).toBeGreaterThan(0);
  expect(network.svc.output.stderr).not.toContain("settled without a proof");
  expect(await call(network.url, "prover_getJobs")).toBeInstanceOf(Array);
}, 240_000);
