import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestClient, http } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call, type Network, startNetwork } from "../../world/local-network/network-process.ts";
import { faultsInEachLook, openBrowser, visit } from "../../world/status/browser.ts";
import { messageTx } from "../support/local-txs.ts";
import "../../support/soak.ts";

let folder: string;
let network: Network;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-local-state-test-"));
  network = await startNetwork(["--data-directory", join(folder, "data")]);
}, 180_000);

afterAll(async () => {
  network?.svc.child.kill("SIGINT");
  await network?.svc.ended;
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});

const ask = <T>(method: string, ...params: unknown[]) => call<T>(network.url, method, ...params);
const askL1 = <T>(method: string, ...params: unknown[]) => call<T>(network.l1Url, method, ...params);
const admin = <T>(method: string, ...params: unknown[]) => call<T>(network.adminUrl, method, ...params);

interface Tips {
  proposed: { number: number; hash: string };
}
const tip = async (url = network.url) => (await call<Tips>(url, "node_getL2Tips")).proposed;
const archiveOf = async (block: number, url = network.url) =>
  (await call<{ archive: { root: string } }>(url, "node_getBlock", block)).archive.root;
const l1Hash = async (block = "latest") =>
  await askL1<{ number: string; hash: string }>("eth_getBlockByNumber", block, false);

async function timestampOf(block: number): Promise<number> {
  type Header = { globalVariables: { timestamp: string } };
  return Number((await ask<Header>("node_getBlockHeader", block)).globalVariables.timestamp);
}

/** Sends a tx and returns its hash. */
async function send(url = network.url): Promise<string> {
  const { rollupVersion } = await call<{ rollupVersion: number }>(url, "node_getNodeInfo");
  const { json, hash } = messageTx(rollupVersion);
  await call(url, "node_sendTx", json);
  return hash;
}
const receipt = (hash: string, url = network.url) =>
  call<{ status: string; blockNumber?: number }>(url, "node_getTxReceipt", hash);

async function mined(hash: string, url = network.url): Promise<number> {
  await expect
    .poll(async () => (await receipt(hash, url)).blockNumber, { timeout: 60_000, interval: 20 })
    .toBeGreaterThan(0);
  return (await receipt(hash, url)).blockNumber ?? 0;
}

/** Sends a tx that no block takes until the sequencer is resumed. */
async function sendPending(): Promise<string> {
  await admin("svcAdmin_pauseSequencer");
  const hash = await send();
  expect((await receipt(hash)).status).toBe("pending");
  return hash;
}

describe("time of a local network", () => {
  test("mineBlock mines an empty block, and the pending txs where there are some", async () => {
    const before = await tip();
    await admin("svcAdmin_mineBlock");
    expect((await tip()).number).toBe(before.number + 1);
    expect(await admin("evm_mine")).toBe("0x0");
    await admin("nodeDebug_mineBlock");
    expect((await tip()).number).toBe(before.number + 3);
    const hash = await send();
    await admin("svcAdmin_mineBlock");
    expect(await mined(hash)).toBeGreaterThan(before.number + 3);
  });

  test("the next block has the first slot's timestamp that is not before the one asked for", async () => {
    const { number } = await tip();
    const wanted = (await timestampOf(number)) + 100_001;
    await admin("svcAdmin_setNextBlockTimestamp", wanted);
    await admin("svcAdmin_mineBlock");
    const next = await timestampOf(number + 1);
    expect(next).toBeGreaterThanOrEqual(wanted);
    const slot = next - (await timestampOf(number));
    await admin("evm_setNextBlockTimestamp", next + slot);
    const hash = await send();
    expect(await mined(hash)).toBe(number + 2);
    expect(await timestampOf(number + 2)).toBe(next + slot);
  });

  test("advanceNextBlockTimestampBy counts from the latest block, and waits for a tx as long as it takes", async () => {
    const { number } = await tip();
    const before = await timestampOf(number);
    await admin("svcAdmin_advanceNextBlockTimestampBy", 3600);
    // An idle epoch would end after a second.
    await new Promise((done) => setTimeout(done, 2_500));
    await mined(await send());
    const next = await timestampOf(number + 1);
    expect(next).toBeGreaterThanOrEqual(before + 3600);
    expect(next).toBeLessThan(before + 3600 + 200);
    expect(await admin("evm_increaseTime", 600)).toBe("600");
    await admin("svcAdmin_mineBlock");
    expect(await timestampOf(number + 2)).toBeGreaterThanOrEqual(next + 600);
  });

  test("viem's client for anvil mines, moves time, takes a snapshot and goes back to it", async () => {
    const client = createTestClient({ mode: "anvil", transport: http(network.adminUrl, { timeout: 60_000 }) });
    const { number } = await tip();
    const id = await client.snapshot();
    await client.mine({ blocks: 2, interval: 1_000 });
    expect((await tip()).number).toBe(number + 2);
    expect(await timestampOf(number + 2)).toBeGreaterThanOrEqual((await timestampOf(number + 1)) + 1_000);
    await client.increaseTime({ seconds: 2_000 });
    await client.mine({ blocks: 1 });
    const later = await timestampOf(number + 3);
    expect(later).toBeGreaterThanOrEqual((await timestampOf(number + 2)) + 2_000);
    await client.setNextBlockTimestamp({ timestamp: BigInt(later + 5_000) });
    await client.mine({ blocks: 1 });
    expect(await timestampOf(number + 4)).toBeGreaterThanOrEqual(later + 5_000);
    await client.revert({ id });
    expect((await tip()).number).toBe(number);
    await expect(client.mine({ blocks: 101 })).rejects.toThrow(/less than or equal to 100/);
  });

  test("a timestamp that is too early is refused with the least one", async () => {
    const { number } = await tip();
    const latest = await timestampOf(number);
    await expect(admin("svcAdmin_setNextBlockTimestamp", latest)).rejects.toThrow(/too early: the next block's is \d+/);
    await expect(admin("svcAdmin_setNextBlockTimestamp", -1)).rejects.toThrow(/greater than or equal to 1/);
  });
});

describe("time at L1's own port", () => {
  const hour = 3_600;
  const l1Time = async () =>
    Number((await askL1<{ timestamp: string }>("eth_getBlockByNumber", "latest", false)).timestamp);

  test.each<[string, (now: number) => [method: string, ...params: unknown[]][]]>([
    ["evm_increaseTime", () => [["evm_increaseTime", hour], ["evm_mine"]]],
    ["anvil_increaseTime", () => [["anvil_increaseTime", hour], ["evm_mine"]]],
    ["evm_setNextBlockTimestamp", (now) => [["evm_setNextBlockTimestamp", now + hour], ["evm_mine"]]],
    [
      "anvil_setNextBlockTimestamp",
      (now) => [
        ["anvil_setNextBlockTimestamp", now + hour],
        ["anvil_mine", 1],
      ],
    ],
    ["evm_mine with a timestamp", (now) => [["evm_mine", now + hour]]],
    ["anvil_mine with an interval", () => [["anvil_mine", 2, hour]]],
  ])("%s has anvil's meaning, and L2 follows L1", async (_, calls) => {
    const before = await l1Time();
    for (const [method, ...params] of calls(before)) await askL1(method, ...params);
    const after = await l1Time();
    expect(after - before).toBeGreaterThanOrEqual(hour);
    expect(after - before).toBeLessThan(2 * hour + 600);
    await mined(await send());
    // A block has the time at which its slot begins.
    expect(await timestampOf((await tip()).number)).toBeGreaterThan(before + hour - 100);
  });
});

describe("snapshots of a local network", () => {
  test("a revert takes L1, the chain and the pool back, and the network goes on from there", async () => {
    const pending = await sendPending();
    const id = await admin<string>("svcAdmin_snapshot");
    const before = await tip();
    const l1Before = await l1Hash();
    const balance = await askL1<string>("eth_getBalance", "0x00000000000000000000000000000000000000aa", "latest");
    await askL1("anvil_setBalance", "0x00000000000000000000000000000000000000aa", "0x77");
    await admin("svcAdmin_resumeSequencer");
    await mined(pending);
    const later = await send();
    await mined(later);
    const last = await sendPending();

    expect(await admin("svcAdmin_revert", id)).toBe(true);
    expect(await tip()).toEqual(before);
    expect((await l1Hash(l1Before.number)).hash).toBe(l1Before.hash);
    expect(await askL1("eth_getBalance", "0x00000000000000000000000000000000000000aa", "latest")).toBe(balance);
    for (const gone of [later, last]) expect((await receipt(gone)).status).toBe("dropped");
    expect((await receipt(pending)).status).toBe("pending");
    await admin("svcAdmin_resumeSequencer");
    expect(await mined(pending)).toBe(before.number + 1);
    expect(await mined(await send())).toBeGreaterThan(before.number);
    expect(await admin("svcAdmin_revert", id)).toBe(false);
  });

  test("a revert drops later snapshots, and the data directory keeps the state that it went back to", async () => {
    const first = await admin<string>("evm_snapshot");
    const before = await tip();
    await mined(await send());
    const second = await admin<string>("evm_snapshot");
    await mined(await send());
    expect(await admin("evm_revert", first)).toBe(true);
    expect(await admin("evm_revert", second)).toBe(false);
    expect(await admin("evm_revert", "0xffff")).toBe(false);
    const after = await tip();
    expect(after).toEqual(before);
    network.svc.child.kill("SIGKILL");
    await network.svc.ended;
    network = await startNetwork(["--data-directory", join(folder, "data")]);
    expect(await tip()).toEqual(before);
    await mined(await send());
    expect(readdirSync(join(folder, "data")).filter((name) => name.startsWith("state-"))).toEqual([]);
  }, 180_000);
});

describe("accounts and faucet of a local network", () => {
  interface Accounts {
    l1: { address: string; balance: string }[];
    l2: { name: string; address: string; secretKey?: string; feeJuice: string }[];
  }

  test("accounts have their balances, and the faucet gives ETH on L1", async () => {
    const { l1, l2 } = await admin<Accounts>("svcAdmin_getAccounts");
    expect(l1.length).toBe(10);
    expect(l2.map(({ name }) => name)).toEqual(expect.arrayContaining(["account 0", "banana token"]));
    expect(BigInt(l2[0].feeJuice)).toBeGreaterThan(10n ** 18n);
    expect(l2[0].secretKey).toMatch(/^0x[0-9a-f]{64}$/);
    const address = `0x${"00e0".repeat(10)}`;
    await admin("svcAdmin_giveEther", address, 3);
    expect(BigInt(await askL1<string>("eth_getBalance", address, "latest"))).toBe(3n * 10n ** 18n);
  });

  test("deposited fee juice is a message that L2 gets", async () => {
    const [account] = (await admin<Accounts>("svcAdmin_getAccounts")).l2;
    const claim = await admin<Record<string, string>>("svcAdmin_depositFeeJuice", account.address);
    expect(claim).toMatchObject({ amount: String(1_000n * 10n ** 18n), leafIndex: expect.stringMatching(/^\d+$/) });
    await expect
      .poll(() => call<number | null>(network.url, "svc_getL1ToL2MessageCheckpoint", claim.messageHash), {
        timeout: 120_000,
      })
      .toBeGreaterThan(0);
    expect(claim.secretHash).not.toBe(claim.secret);
    await expect(admin("svcAdmin_giveEther", "0x12")).rejects.toThrow(/address|instance/i);
  });

  test("the page moves time, gives ETH and takes a snapshot, without an accessibility fault", async () => {
    const browser = await openBrowser();
    try {
      const { page, show, faults } = await visit(browser, network.adminUrl);
      await show("#/local");
      await page.getByRole("group", { name: "Accounts on L2" }).waitFor();
      const before = await timestampOf((await tip()).number);
      await page.getByRole("button", { name: "Mine a block" }).click();
      await page.getByText("Mined a block.").waitFor();
      expect(await timestampOf((await tip()).number)).toBeGreaterThan(before);
      await page.getByLabel("Address", { exact: true }).fill(`0x${"c0de".repeat(10)}`);
      await page.getByRole("button", { name: "Give" }).click();
      await page.getByText("Sent 10 ETH").waitFor();
      await page.getByRole("button", { name: "Take a snapshot" }).click();
      await page
        .getByRole("button", { name: /Go back to snapshot/ })
        .last()
        .waitFor();
      expect(await faultsInEachLook(page)).toEqual([]);
      expect(faults).toEqual([]);
      expect(BigInt(await askL1<string>("eth_getBalance", `0x${"c0de".repeat(10)}`, "latest"))).toBe(10n * 10n ** 18n);
    } finally {
      await browser.close();
    }
  });
});

describe("the state of a local network as a file", () => {
  const file = () => join(folder, "state.tar.gz");

  test("a loaded state has the same blocks and pending txs, on the network that dumped it and on a new one", async () => {
    const before = await mined(await send());
    const pending = await sendPending();
    await admin("svcAdmin_dumpState", file());
    const { number: dumped } = await tip();
    const archive = await archiveOf(dumped);
    await admin("svcAdmin_resumeSequencer");
    await mined(pending);
    const later = await send();
    await mined(later);

    await admin("svcAdmin_loadState", file());
    expect((await tip()).number).toBeGreaterThanOrEqual(dumped);
    expect(await archiveOf(dumped)).toBe(archive);
    expect((await receipt(later)).status).toBe("dropped");
    expect(await mined(pending)).toBeGreaterThan(before);
    await mined(await send());

    const other = await startNetwork(["--load-state", file()]);
    try {
      expect(await archiveOf(dumped, other.url)).toBe(archive);
      expect(await mined(pending, other.url)).toBeGreaterThan(before);
      await mined(await send(other.url), other.url);
    } finally {
      other.svc.child.kill("SIGINT");
      await other.svc.ended;
    }
  }, 180_000);

  test("a file that is missing, cut off or of another network is refused, and nothing changes", async () => {
    const before = await tip();
    await expect(admin("svcAdmin_loadState", join(folder, "none"))).rejects.toThrow(/none does not exist/);
    await expect(admin("svcAdmin_loadState", "state.tar.gz")).rejects.toThrow(/must be an absolute path/);
    await expect(admin("svcAdmin_dumpState", join(folder, "no-folder", "x"))).rejects.toThrow(/cannot be written/);
    const damaged = join(folder, "damaged.tar.gz");
    writeFileSync(damaged, readFileSync(file()));
    truncateSync(damaged, Math.floor(statSync(damaged).size / 2));
    await expect(admin("svcAdmin_loadState", damaged)).rejects.toThrow(/is not a whole state/);
    expect((await tip()).number).toBeGreaterThanOrEqual(before.number);
    const started = await startNetwork(["--load-state", damaged]).catch((error: Error) => error);
    expect(started).toBeInstanceOf(Error);
    await mined(await send());
  });

  test("a reset begins again with the set-up", async () => {
    await admin("anvil_reset");
    expect((await tip()).number).toBe(4);
    await mined(await send());
  }, 180_000);
});
