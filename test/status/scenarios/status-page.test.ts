import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { freePort } from "../../support/free-port.ts";
import { ADMIN_API_KEY, NodeProcess, type RecordedL1, startRecordedL1 } from "../../world/node/recorded-node.ts";
import {
  factText,
  faultsInEachLook,
  openBrowser,
  replaceAnswers,
  rowTexts,
  settled,
  tableTexts,
  until,
  type Visit,
  visit,
} from "../../world/status/browser.ts";

interface Block {
  number: number;
  hash: string;
  checkpointNumber: number;
  header: { totalManaUsed: string; globalVariables: { slotNumber: string } };
  body: { txEffects: Effect[] };
}

interface Effect {
  txHash: string;
  noteHashes: string[];
  nullifiers: string[];
  privateLogs: { fields: string[] }[];
  publicLogs: { contractAddress: string; fields: string[] }[];
}

const RPC_THREADS = ["node", "RPC 1", "RPC 2"];

/** P2P is on, but no other node is known. Metrics are only read by the page. */
const PEERS = {
  ...{ P2P_ENABLED: "true", P2P_LISTEN_ADDR: "127.0.0.1", P2P_IP: "127.0.0.1" },
  P2P_DISCOVERY_DISABLED: "true",
};

let l1: RecordedL1;
let node: NodeProcess;
let browser: Browser;
let visits: Visit[] = [];
let blocks: Block[];

async function result<T>(method: string, ...params: unknown[]): Promise<T> {
  return (await node.call(method, params)).body.result as T;
}

beforeAll(async () => {
  [l1, browser] = await Promise.all([startRecordedL1(), openBrowser()]);
  node = await NodeProcess.start(l1, undefined, {
    ...PEERS,
    P2P_PORT: String(await freePort()),
    SVC_RPC_UI: "true",
    SVC_RPC_THREADS: "2",
  });
  await node.synced();
  blocks = await result("svc_getBlocks", 1, 50, { includeTransactions: true });
});

afterEach(async () => {
  await Promise.all(visits.map((one) => one.close()));
  visits = [];
});

afterAll(async () => {
  await browser?.close();
  await node?.remove();
  l1?.stop();
});

async function open(options = {}, base = node.adminUrl): Promise<Visit> {
  const opened = await visit(browser, base, options);
  visits.push(opened);
  return opened;
}

/** The page of the admin port, with its key. */
async function unlocked(options = {}): Promise<Visit> {
  const opened = await open(options);
  await opened.page.getByLabel("API key", { exact: true }).fill(ADMIN_API_KEY);
  await opened.page.keyboard.press("Enter");
  await settled(opened.page);
  return opened;
}

const ATTESTER = `0x${"a7".repeat(20)}`;
const missed = { currentStreak: 1, rate: 0.25, count: 1, total: 4 };
const peer = (id: string, gossipScore: number, score: number) => ({
  ...{ id, ip: "10.1.2.3", inbound: gossipScore < 0, connectedAt: Date.now() - 3_600_000, score, gossipScore },
  ...{ state: score < -50 ? "disconnect" : "healthy", meshes: ["tx"], listed: false },
});

/** Answers of a validator among peers. */
const VALIDATING = {
  svcAdmin_getConnectedPeers: [peer("16Uiu2HAmGoodPeerOfALongName", 12.5, 0), peer("16Uiu2HAmBadPeer", -60, -60)],
  svcAdmin_getAttesters: [ATTESTER],
  svc_getValidatorStats: {
    slotWindow: 100,
    lastProcessedSlot: 90,
    initialSlot: 10,
    allTimeProvenPerformance: [],
    validator: {
      ...{ address: ATTESTER, totalSlots: 8, missedProposals: missed, missedAttestations: missed },
      history: [
        { slot: 80, status: "attestation-missed" },
        { slot: 81, status: "attestation-sent" },
        { slot: 82, status: "blocks-missed" },
        { slot: 83, status: "attestation-missed" },
      ],
    },
  },
  svcAdmin_getMissedDuties: [
    { slot: 83, duty: "attest", reason: "the checkpoint proposal was refused: wrong_state_root" },
    { slot: 82, duty: "propose checkpoint", reason: "not synced" },
  ],
  svcAdmin_getDutyTimes: [
    { slot: 83, duties: [{ duty: "attest", due: 57_000, steps: { received: 187, checked: 416 } }] },
    { slot: 79, duties: [{ duty: "attest", due: 57_000, steps: { received: 1, checked: 4, signed: 57_500 } }] },
  ],
  svcAdmin_getPendingTxSummaries: [
    {
      ...{ hash: `0x${"0b".repeat(32)}`, feePayer: `0x${"0c".repeat(32)}`, priorityFee: "5", feeLimit: "6000000000" },
      ...{ l2GasLimit: 6_000_000, forPublic: true, bytes: 70_000, receivedAt: Date.now(), expiration: "99999999999" },
    },
  ],
};

const allEffects = () => blocks.flatMap(({ body, number }) => body.txEffects.map((effect) => ({ ...effect, number })));

test("the overview shows the tips that the RPC answers", async () => {
  const { page, faults } = await unlocked();
  await page.waitForSelector(".tips");
  const tips = await result<Record<string, { number?: number; block?: { number: number } }>>("svc_getChainTips");
  const expected = ["proposed", "checkpointed", "proven", "finalized"].map((name) =>
    String(tips[name].number ?? tips[name].block?.number),
  );
  const [pending, slot] = [await result("svc_getPendingTxCount"), await result("svc_getSyncedL2SlotNumber")];
  await expect.poll(() => page.locator(".tips .figure").allInnerTexts()).toEqual(expected);
  await expect.poll(() => factText(page, "Pending transactions")).toBe(String(pending));
  await expect.poll(() => factText(page, "Last slot read from L1")).toContain(`${slot},`);
  expect(faults).toEqual([]);
});

test("the list of blocks shows number, transactions, slot and checkpoint of each block", async () => {
  const { page, show } = await unlocked();
  await show("#/blocks/50");
  const expected = blocks.slice(25, 50).reverse();
  const shown = async () => {
    const [names, ...rows] = await tableTexts(page, "Blocks, newest first");
    const columns = ["Block", "Txs", "Slot", "Checkpoint"].map((name) => names.indexOf(name));
    return rows.map((row) => columns.map((column) => Number(row[column])));
  };
  await expect
    .poll(shown)
    .toEqual(
      expected.map(({ number, body, header, checkpointNumber }) => [
        number,
        body.txEffects.length,
        Number(header.globalVariables.slotNumber),
        checkpointNumber,
      ]),
    );
});

test("a block and its transaction are shown with what the RPC tells of them", async () => {
  const { page, show } = await unlocked();
  const block = blocks.find(({ body }) => body.txEffects.some(({ publicLogs }) => publicLogs.length > 0))!;
  await show(`#/block/${block.number}`);
  await expect.poll(() => factText(page, "Hash")).toBe(block.hash);
  const mana = Number(block.header.totalManaUsed);
  await expect.poll(async () => Number((await factText(page, "Mana")).replaceAll(",", ""))).toBe(mana);
  const effect = block.body.txEffects.find(({ publicLogs }) => publicLogs.length > 0)!;
  await page.getByRole("link", { name: effect.txHash.slice(0, 8) }).click();
  const values = async (table: string) => (await rowTexts(page, table)).map(([, value]) => value);
  await expect.poll(() => factText(page, "Hash")).toBe(effect.txHash);
  await expect.poll(() => values("Nullifiers")).toEqual(effect.nullifiers);
  await expect.poll(() => values("Note hashes")).toEqual(effect.noteHashes);
  const logs = effect.privateLogs.length + effect.publicLogs.length;
  await expect.poll(() => rowTexts(page, "Logs")).toHaveLength(logs);
});

test("the views of the node show its options, L1 endpoints, stores and log", async () => {
  const { page, show } = await unlocked();
  await show("#/configuration");
  await expect
    .poll(() => rowTexts(page, "Options: Storage"))
    .toContainEqual([
      expect.stringMatching(/^--data-directory/),
      expect.stringContaining(node.dataDirectory),
      "environment DATA_DIRECTORY",
    ]);
  await page.getByLabel("Filter options").fill("API key hash");
  await expect.poll(() => rowTexts(page, "Options: Admin RPC")).toHaveLength(1);
  const [[, keyHash]] = await rowTexts(page, "Options: Admin RPC");
  expect(keyHash).not.toMatch(/[0-9a-f]{16}/);

  await show("#/l1");
  const calls = async () => {
    const endpoint = (await rowTexts(page, "L1 endpoints")).find(([name]) => l1.anvil.url.startsWith(name));
    return Number(endpoint?.[3].replaceAll(",", ""));
  };
  await expect.poll(calls).toBeGreaterThan(10);

  await show("#/system");
  await page.waitForSelector("h2:has-text('Store: Chain')");
  await expect.poll(async () => (await rowTexts(page, "Threads")).map(([name]) => name)).toEqual(RPC_THREADS);
  await expect.poll(() => factText(page, "Rows")).toMatch(/^[\d,]+$/);
  const called = await rowTexts(page, "Calls of the public port");
  expect(called.map(([method]) => method)).toContain("svc_getBlocks");

  await show("#/log");
  await page.getByLabel("Filter lines").fill("initial sync is complete");
  await page.waitForSelector(".log .message:has-text('initial sync is complete')");
  await page.getByLabel("Level").selectOption("error");
  await page.waitForSelector("text=No line has that.");
});

test("a validator's view names the reason of each missed duty", async () => {
  const { page, show } = await unlocked();
  await replaceAnswers(page, VALIDATING);
  await show("#/duties");
  await expect
    .poll(async () => (await rowTexts(page, "Missed duties")).map((row) => row.slice(0, 3)))
    .toEqual([
      ["83", "not attested", "the checkpoint proposal was refused: wrong_state_root"],
      ["82", "no blocks", "not synced"],
      ["80", "not attested", "no checkpoint proposal reached this node"],
    ]);
  await expect
    .poll(async () => (await rowTexts(page, "Duties of the latest slots")).map((row) => row[3]))
    .toEqual(["56.6 s", "-0.50 s"]);
  await show("#/peers");
  await expect.poll(() => page.locator(".map circle").count()).toBe(2);
  await expect
    .poll(async () => (await rowTexts(page, "Connected peers")).map((row) => row[6]))
    .toEqual(["healthy", "disconnect"]);
});

test("a search finds blocks, transactions, contracts, classes, nullifiers, note hashes and tags", async () => {
  const { page } = await unlocked();
  const search = async (text: string): Promise<string> => {
    await page.evaluate(`location.hash = "#/nothing"`);
    await page.getByRole("searchbox").fill(text);
    await page.keyboard.press("Enter");
    await until(page, `!/^#.(nothing|search)/.test(location.hash)`);
    return decodeURIComponent(new URL(page.url()).hash);
  };
  const [block] = blocks.slice(19);
  const effects = allEffects();
  const noted = effects.find(({ noteHashes }) => noteHashes.length > 0)!;
  const tagged = effects.find(({ privateLogs }) => privateLogs.length > 0)!;
  const published = effects.find(({ publicLogs }) => publicLogs.length > 0)!;
  const [{ contractAddress, fields }] = published.publicLogs;
  expect(await search("20")).toBe("#/block/20");
  expect(await search(block.hash)).toBe("#/block/20");
  expect(await search(noted.txHash)).toBe(`#/tx/${noted.txHash}`);
  expect(await search(noted.txHash.slice(2).toUpperCase())).toBe(`#/tx/${noted.txHash}`);
  expect(await search(contractAddress)).toBe(`#/contract/${contractAddress}`);
  expect(await search(noted.nullifiers.at(-1)!)).toBe(`#/tx/${noted.txHash}`);
  expect(await search(noted.noteHashes[0])).toBe(`#/tx/${noted.txHash}`);
  const { currentContractClassId, original = currentContractClassId } = await result<Record<string, string>>(
    "svc_getContract",
    contractAddress,
  );
  const published4 = await result<{ l2BlockNumber: number }>("svc_getContractClass", original);
  expect(await search(currentContractClassId)).toBe(`#/block/${published4.l2BlockNumber}`);
  const [logs] = await result<{ txHash: string }[][]>("svc_getPrivateLogsByTags", {
    tags: [tagged.privateLogs[0].fields[0]],
  });
  if (logs.length === 1) expect(await search(tagged.privateLogs[0].fields[0])).toBe(`#/tx/${tagged.txHash}`);
  // More than one result is listed.
  await page.getByRole("searchbox").fill(`${contractAddress} ${fields[0]}`);
  await page.keyboard.press("Enter");
  const [publicLogs] = await result<{ txHash: string }[][]>("svc_getPublicLogsByTags", {
    contractAddress,
    tags: [fields[0]],
  });
  if (publicLogs.length > 1) {
    await page.waitForSelector("text=Public log with this tag");
    await expect.poll(() => rowTexts(page, "Search results")).toHaveLength(publicLogs.length);
  } else await until(page, `location.hash === "#/tx/${published.txHash}"`);
  await page.getByRole("searchbox").fill(`0x${"12".repeat(32)}`);
  await page.keyboard.press("Enter");
  await page.waitForSelector("text=Nothing on this node is known by that");
});

test("the keyboard alone opens the search, a result, the next block and the content", async () => {
  const { page } = await unlocked();
  await page.keyboard.press("/");
  await page.keyboard.type("20");
  await page.keyboard.press("Enter");
  await page.waitForSelector("h1:has-text('Block 20')");
  await until(page, `document.activeElement?.tagName === "H1"`);
  await page.keyboard.press("ArrowRight");
  await page.waitForSelector("h1:has-text('Block 21')");
  await page.reload();
  await page.waitForSelector("h1:has-text('Block 21')");
  await page.keyboard.press("Tab");
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Skip to content");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("main");
});

test("what rollups after v4 have is shown: the hash of a contract's immutables, the fees of a checkpoint", async () => {
  const { page, show } = await unlocked();
  const address = `0x${"12".repeat(32)}`;
  const immutablesHash = `0x${"34".repeat(32)}`;
  const [salt, deployer, initializationHash] = ["1", "2", "3"].map((digit) => `0x${digit.repeat(64)}`);
  const [currentContractClassId, originalContractClassId] = [salt, salt];
  await replaceAnswers(page, {
    svc_getContract: {
      ...{ version: 2, address, salt, deployer, initializationHash, immutablesHash },
      ...{ currentContractClassId, originalContractClassId },
    },
    svc_getCheckpoint: { header: { accumulatedFees: `0x${(25n * 10n ** 17n).toString(16).padStart(64, "0")}` } },
  });
  await show(`#/contract/${address}`);
  expect(await factText(page, "Immutables hash")).toContain(immutablesHash);
  await show("#/block/4");
  await expect.poll(() => factText(page, "Fees of the checkpoint")).toContain("2.5");
});

test("no view has an accessibility fault in either theme at either width", async () => {
  const { page, show, faults } = await open();
  await replaceAnswers(page, VALIDATING);
  expect(await faultsInEachLook(page), "the request for the key").toEqual([]);
  await page.getByLabel("API key", { exact: true }).fill(ADMIN_API_KEY);
  await page.keyboard.press("Enter");
  const tx = blocks[6].body.txEffects[0].txHash;
  const contract = allEffects().find(({ publicLogs }) => publicLogs.length > 0)!.publicLogs[0].contractAddress;
  for (const route of [
    "",
    "blocks",
    "block/4",
    `tx/${tx}`,
    "contracts",
    `contract/${contract}`,
    "pool",
    "peers",
    "duties",
    `duties/${ATTESTER}`,
    "l1",
    "system",
    "configuration",
    "log",
    "search/0x12",
    "no",
  ]) {
    await show(`#/${route}`);
    expect(await faultsInEachLook(page), route).toEqual([]);
  }
  expect(faults).toEqual([]);
});

test("a wrong API key is told, and the right one is kept for the tab only", async () => {
  const { page, requests } = await open();
  const field = page.getByLabel("API key", { exact: true });
  await field.fill("wrong");
  await page.keyboard.press("Enter");
  await page.waitForSelector("text=The node does not take this key.");
  await field.fill(ADMIN_API_KEY);
  await page.keyboard.press("Enter");
  await page.waitForSelector(".tips");
  await page.reload();
  await page.waitForSelector(".tips");
  expect(await page.evaluate("[localStorage.length, document.cookie, sessionStorage.length]")).toEqual([0, "", 1]);
  await page.getByRole("button", { name: "Lock" }).click();
  await page.waitForSelector("text=Admin API key");
  await expect.poll(() => page.evaluate("sessionStorage.length")).toBe(0);
  expect(requests.filter((url) => !url.startsWith(`${node.adminUrl}/ui`))).toEqual([]);
});

test("a node that stops answering is told, and its return too", async () => {
  const { page } = await unlocked();
  await page.waitForSelector(".tips");
  await page.context().setOffline(true);
  await page.waitForSelector("text=The node does not answer.");
  await expect.poll(() => page.locator(".condition").textContent()).toBe("Not answering");
  await expect.poll(() => page.locator(".tips .figure").first().textContent()).toBe("59");
  await page.context().setOffline(false);
  await page.waitForSelector(".trouble", { state: "detached" });
});

test("a hidden page asks nothing, and a visible one sends one batch at a time", async () => {
  const { page } = await unlocked();
  const { clock } = page;
  // Time passes in the page only when the test says so. The key is kept, so the page asks again after a reload.
  await clock.install();
  await page.reload();
  await page.waitForSelector(".tips");
  await clock.pauseAt(Date.now() + 60_000);
  const batches = { sent: 0, answered: 0 };
  let answer = Promise.resolve();
  await page.route("**/rpc", async (route) => {
    batches.sent += 1;
    await answer;
    await route.fulfill({ response: await route.fetch() });
    batches.answered += 1;
  });
  const nextBatch = async () => {
    const { sent } = batches;
    const passing = async () => {
      await clock.runFor(500);
      return batches.sent;
    };
    await expect.poll(passing).toBe(sent + 1);
  };
  const hide = (hidden: boolean) =>
    page.evaluate(`
        Object.defineProperty(document, "hidden", { value: ${hidden}, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      `);
  await nextBatch();
  await hide(true);
  const { sent } = batches;
  await clock.runFor(60_000);
  expect(batches.sent).toBe(sent);
  await expect.poll(() => batches.answered).toBe(sent);

  const { promise, resolve } = Promise.withResolvers<void>();
  answer = promise;
  await hide(false);
  await nextBatch();
  await clock.runFor(10_000);
  expect(batches.sent).toBe(sent + 1);
  resolve();
  await nextBatch();
});

test("the public port serves the page where it is told to, without a key", async () => {
  const { page, faults, requests } = await open({}, node.url);
  await expect.poll(() => page.locator(".tips .figure").first().textContent()).toBe("59");
  expect(requests.filter((url) => !url.startsWith(`${node.url}/`))).toEqual([]);
  expect(faults).toEqual([]);
  // What needs the admin port is not there.
  const tabs = page.getByRole("navigation", { name: "Views" }).getByRole("link");
  await expect.poll(() => tabs.allInnerTexts()).toEqual(["Overview", "Blocks", "Contracts", "Pool"]);
});
