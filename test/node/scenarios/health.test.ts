import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RECORDED_CHAIN } from "../../../src/cli/demo/recorded-chain.ts";
import { connectRollup } from "../../../src/l1/rollup/connect.ts";
import { freePort } from "../../support/free-port.ts";
import { runSvc } from "../../world/cli/run-svc.ts";
import { type HttpFake, httpFake } from "../../world/l1/http-fake.ts";
import { LIES } from "../../world/l1/lies.ts";
import { type Lie, LyingL1 } from "../../world/l1/lying-l1.ts";
import { ADMIN_API_KEY, NodeProcess, type RecordedL1, startRecordedL1 } from "../../world/node/recorded-node.ts";

/** One node through faults of its surroundings, each healed before the next; and one with P2P but without a peer. */
let l1: RecordedL1;
let proxy: LyingL1;
let store: HttpFake;
let hasBlobs = false;
let bucket: HttpFake;
let node: NodeProcess;
let alone: NodeProcess;
/** The L1 endpoints of the latter. */
let pair: LyingL1[];
const folder = mkdtempSync(join(tmpdir(), "svc-health-"));
const WAIT = { timeout: 60_000, interval: 100 };

const lieOf = (name: string) => LIES.find((row) => row.name === name)!.lie;

beforeAll(async () => {
  l1 = await startRecordedL1();
  proxy = await LyingL1.inFrontOf(l1.anvil.url);
  const blobs = l1.chain.blobStore.replace("file://", "");
  store = await httpFake(({ path }) => {
    const file = join(blobs, path);
    const found = hasBlobs && existsSync(file) && statSync(file).isFile();
    return found ? { raw: readFileSync(file) } : { raw: "", status: 404 };
  });
  bucket = await httpFake(() => "silence");
  node = await NodeProcess.start({ anvil: { url: proxy.url }, chain: l1.chain }, join(folder, "one"), {
    BLOB_FILE_STORE_URLS: store.url,
    BLOB_ALLOW_EMPTY_SOURCES: "true",
    AWS_ACCESS_KEY_ID: "key",
    AWS_SECRET_ACCESS_KEY: "secret",
  });
  pair = await Promise.all([1, 2].map(() => LyingL1.inFrontOf(l1.anvil.url)));
  const urls = pair.map(({ url }) => url).join(",");
  alone = await NodeProcess.start({ anvil: { url: urls }, chain: l1.chain }, join(folder, "two"), {
    P2P_ENABLED: "true",
    P2P_LISTEN_ADDR: "127.0.0.1",
    P2P_IP: "127.0.0.1",
    P2P_PORT: String(await freePort()),
  });
});

afterAll(async () => {
  await Promise.all([node?.remove(), alone?.remove()]);
  await Promise.all([proxy, store, bucket, ...(pair ?? [])].map((server) => server?.close()));
  l1?.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Answer {
  status: number;
  body: {
    ready: boolean;
    reasons: { component: string; rule: string; value: unknown; limit: unknown; reason?: string }[];
    error?: { parameter: string; rule: string };
  };
}
async function ready(query = "", of = node): Promise<Answer> {
  const response = await fetch(`${of.url}/ready${query}`);
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}
/** Status and first reason, as one text. */
async function verdict(query = "", of = node): Promise<string> {
  const { status, body } = await ready(query, of).catch(() => ({ status: 0, body: {} as Answer["body"] }));
  const [{ component, rule, value } = { component: "", rule: "", value: "" }] = body.reasons ?? [];
  return `${status} ${component} ${rule} ${value}`.trim();
}
/** Gives the node its blobs and waits until it is ready, so that each test can run alone. */
async function heal(): Promise<void> {
  hasBlobs = true;
  await expect.poll(() => verdict(), WAIT).toBe("200");
}
async function admin(method: string, ...params: unknown[]): Promise<unknown> {
  const response = await fetch(node.adminUrl, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": ADMIN_API_KEY },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: `nodeAdmin_${method}`, params }),
  });
  return ((await response.json()) as { result: unknown }).result;
}

async function askL1(method: string, ...params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "content-type": "application/json" };
  const response = await fetch(l1.anvil.url, { method: "POST", headers, body });
  return ((await response.json()) as { result: unknown }).result;
}
/** The fees that L1 asks for the next checkpoint, in the form of an answer. */
async function feesOfL1(): Promise<Record<string, string>> {
  const rollup = await connectRollup({
    l1RpcUrls: [l1.anvil.url],
    l1ChainId: RECORDED_CHAIN.l1ChainId,
    registryAddress: RECORDED_CHAIN.registryAddress,
    ethereumSlotDuration: 12,
  });
  const { feePerDaGas, feePerL2Gas } = await rollup.fees.currentMinFees();
  return { feePerDaGas: String(feePerDaGas), feePerL2Gas: String(feePerL2Gas) };
}

test("a node without the blobs of its first sync is alive, answers /status, and is not ready", async () => {
  await expect.poll(() => verdict(), WAIT).toBe("503 blobs state failed");
  const { body } = await ready();
  expect(body.reasons[0].reason).toMatch(/^no blob source has \d+ blobs of L1 block \d+$/);
  const live = await fetch(`${node.url}/live`);
  expect([live.status, await live.json()]).toEqual([200, { live: true }]);
  const status = await fetch(`${node.url}/status`);
  expect([status.status, status.headers.get("content-type"), await status.text()]).toEqual([
    200,
    "text/plain; charset=utf-8",
    "OK",
  ]);
  await heal();
});

test("the JSON form of /status has every component with its state and the time since when", async () => {
  await heal();
  const response = await fetch(`${node.url}/status?format=json`);
  const typeFor = async (accept: string) =>
    (await fetch(`${node.url}/status`, { headers: { accept } })).headers.get("content-type")?.split(";")[0];
  for (const accept of ["application/json", "text/plain;q=0.5, application/json;q=0.9, */*"]) {
    expect(await typeFor(accept), accept).toBe("application/json");
  }
  for (const accept of ["*/*", "text/plain", "application/json;q=0", "text/html, application/xml"]) {
    expect(await typeFor(accept), accept).toBe("text/plain");
  }
  const report = (await response.json()) as Record<string, unknown> & { components: Record<string, string>[] };
  expect(report).toMatchObject({
    ready: true,
    reasons: [],
    blockNumber: 59,
    lagBlocks: 0,
    limits: { maxLagBlocks: 50 },
  });
  const names = ["l1", "blobs", "sync", "world-state", "transactions", "peers", "snapshots", "prover", "prover-broker"];
  expect(report.components.map(({ name }) => name)).toEqual(names);
  const off = ["peers", "prover", "prover-broker"];
  expect(report.components.map(({ state }) => state)).toEqual(names.map((name) => (off.includes(name) ? "off" : "ok")));
  for (const { since } of report.components) expect(Date.now() - Date.parse(since)).toBeLessThan(600_000);
});

test.each([
  ["answers null to everything", "l1"],
  ["answers HTTP status 503", "l1"],
  ["says that the head is 2^52 blocks ahead", "l1"],
])("a node whose L1 %s is not ready until it heals", async (name, component) => {
  await heal();
  proxy.lie = lieOf(name);
  await expect.poll(() => verdict(), WAIT).toBe(`503 ${component} state failed`);
  proxy.lie = undefined;
  await expect.poll(() => verdict(), WAIT).toBe("200");
});

test("a node with one silent L1 endpoint of two stays ready with the right fees, and with two it is not ready", async () => {
  // A limit that no wait of this test breaks.
  const query = "?minPeers=0&maxL1AgeSeconds=3000";
  const hasLatest = async (): Promise<boolean> => {
    const { l1BlockNumber } = (await (await fetch(`${alone.url}/status?format=json`)).json()) as Record<
      string,
      unknown
    >;
    return l1BlockNumber === Number(await askL1("eth_blockNumber"));
  };
  await askL1("evm_mine");
  await expect.poll(() => verdict(query, alone), WAIT).toBe("200");
  const [first, second] = pair;
  const { lie } = LIES.find(({ name }) => name === "never answers")!;
  first.lie = lie;
  const seen = new Set<string>();
  for (let i = 0; i < 3; i++) {
    await askL1("evm_mine");
    const isSeen = async (): Promise<boolean> => {
      seen.add(await verdict(query, alone));
      return hasLatest();
    };
    await expect.poll(isSeen, WAIT).toBe(true);
    const { body } = await alone.ask("getCurrentMinFees");
    expect(body.result).toEqual(await feesOfL1());
  }
  expect([...seen]).toEqual(["200"]);
  second.lie = lie;
  await expect.poll(() => verdict(query, alone), WAIT).toBe("503 l1 state failed");
  first.lie = undefined;
  await askL1("evm_mine");
  await expect.poll(hasLatest, WAIT).toBe(true);
  await expect.poll(() => verdict(query, alone), WAIT).toBe("200");
  second.lie = undefined;
});

test("a node whose sync an operator has paused is not ready until it goes on", async () => {
  await heal();
  await admin("pauseSync");
  expect(await verdict()).toBe("503 sync state waiting");
  await admin("resumeSync");
  await expect.poll(() => verdict(), WAIT).toBe("200");
});

test("a node that uploads a snapshot stays ready, and says so", async () => {
  await heal();
  await admin("startSnapshotUpload", `s3://bucket/x?endpoint=${encodeURIComponent(bucket.url)}`);
  await expect.poll(() => bucket.seen.length, WAIT).toBeGreaterThan(0);
  expect(await verdict()).toBe("200");
  expect(await (await fetch(`${node.url}/status?format=json`)).text()).toContain("a snapshot is being uploaded");
});

test("a node whose L1 makes no more blocks, or is behind, breaks the limit of age and no other", async () => {
  await heal();
  await askL1("evm_mine");
  await expect.poll(() => verdict("?maxL1AgeSeconds=600"), WAIT).toBe("200");
  await expect.poll(() => verdict("?maxL1AgeSeconds=1"), WAIT).toMatch(/^503 l1 maxL1AgeSeconds \d+$/);
  await expect.poll(() => verdict("?maxL1AgeSeconds=600"), WAIT).toBe("200");
  const behind: Lie = {
    ask: (call) =>
      call.method === "eth_getBlockByNumber" && call.params[0] === "latest"
        ? { ...call, params: ["0xc8", ...call.params.slice(1)] }
        : call,
  };
  for (const lie of [lieOf("gives blocks of 1970"), lieOf("gives blocks of the far future"), behind]) {
    proxy.lie = lie;
    await askL1("evm_mine");
    await expect.poll(() => verdict("?maxL1AgeSeconds=3000"), WAIT).toMatch(/^503 l1 /);
    proxy.lie = undefined;
    await askL1("evm_mine");
    await expect.poll(() => verdict("?maxL1AgeSeconds=3000"), WAIT).toBe("200");
  }
});

test("a node with P2P and without peers is not ready, unless the question allows it", async () => {
  await heal();
  await expect.poll(() => verdict("", alone), WAIT).toBe("503 peers minPeers 0");
  expect(await verdict("?minPeers=0", alone)).toBe("200");
  const { body } = await ready("", alone);
  expect(body).toEqual({
    ready: false,
    reasons: [{ component: "peers", rule: "minPeers", value: 0, limit: 1 }],
  });
  expect(await verdict("?minPeers=1")).toBe("503 peers minPeers null");
});

test.each([
  ["?maxLagBlocks=x", "maxLagBlocks", "must be a whole decimal number from 0 to 1000000000"],
  ["?maxLagBlocks=", "maxLagBlocks", "must be a whole decimal number from 0 to 1000000000"],
  ["?minPeers=-1", "minPeers", "must be a whole decimal number from 0 to 1000000000"],
  ["?minPeers=1&minPeers=2", "minPeers", "may be given once"],
  ["?maxlag=1", "maxlag", "is unknown: there are maxLagBlocks, maxL1AgeSeconds, minPeers"],
])("GET /ready%s is refused with the parameter and its rule", async (query, parameter, rule) => {
  const { status, body } = await ready(query);
  expect([status, body]).toEqual([400, { error: { parameter, rule } }]);
});

test("svc status says by its exit code whether a node is ready", async () => {
  await heal();
  const ask = (...args: string[]) => runSvc(["status", ...args]);
  const [good, bad, wrong, unknown, absentNode] = await Promise.all([
    ask("--url", node.url, "--max-lag-blocks", "5"),
    ask("--url", alone.url, "--json"),
    ask("--url", node.url, "--max-l1-age-seconds", "soon"),
    ask("--nonsense"),
    ask("--url", "http://127.0.0.1:9"),
  ]);
  expect([good.code, bad.code, wrong.code, unknown.code, absentNode.code]).toEqual([0, 1, 2, 2, 2]);
  expect(good.stdout).toMatch(/^ready: block \d+ \(0 behind\), L1 block \d+ \(-?\d+ s old\), P2P is off\n/);
  expect(JSON.parse(bad.stdout).reasons[0]).toMatchObject({ component: "peers", value: 0, limit: 1 });
  expect(wrong.stderr).toBe("error: --max-l1-age-seconds must be a whole decimal number from 0 to 1000000000\n");
  expect(absentNode.stderr).toMatch(/^error: http:\/\/127\.0\.0\.1:9\S* cannot be reached/);
});
