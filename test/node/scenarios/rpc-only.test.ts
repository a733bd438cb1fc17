import { cpSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Anvil, startAnvil } from "../../../src/cli/demo/anvil.ts";
import { RECORDED_CHAIN, type UnpackedChain, unpackRecordedChain } from "../../../src/cli/demo/recorded-chain.ts";
import { packageRoot } from "../../../src/process/program-version.ts";
import { runSvc, type Svc, spawnSvc } from "../../world/cli/run-svc.ts";
import { SocketClient } from "../../world/rpc/socket-client.ts";

const LAST_BLOCK = 59;
/** The node's; the process that reads its store has none. */
const NODE_PREFIX = "/node";

/** The tests share a data directory and a process of --rpc-only, and run in order. */
let folder: string;
let chain: UnpackedChain;
let anvil: Anvil;
let reader: Svc;
let node: Svc;
let subscriber: SocketClient;
const running = new Set<Svc>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-rpc-only-test-"));
  chain = unpackRecordedChain(packageRoot());
  anvil = await startAnvil(chain.l1State, new AbortController().signal);
});

afterAll(() => {
  for (const svc of running) svc.child.kill("SIGKILL");
  anvil.kill();
  chain.remove();
  rmSync(folder, { recursive: true, force: true });
});

function start(...args: string[]): Svc {
  const common = ["--port", "0", "--rpc-host", "127.0.0.1", "--rpc-threads", "1"];
  const genesis = { TEST_ACCOUNTS: "true", SPONSORED_FPC: "1", PREFUND_ADDRESSES: RECORDED_CHAIN.prefundAddresses };
  const svc = spawnSvc(["start", ...common, "--data-directory", join(folder, "data"), ...args], genesis);
  running.add(svc);
  svc.ended.then(() => running.delete(svc));
  return svc;
}

const startNode = () =>
  start(
    ...["--node", "--l1-rpc-urls", anvil.url, "--registry-address", RECORDED_CHAIN.registryAddress],
    ...["--archiver.blobFileStoreUrls", chain.blobStore, "--api-prefix", NODE_PREFIX],
  );
const startReader = () => start("--rpc-only", "--rpc-min-block-wait", "1", "--rpc-node-away-limit", "1");

/** The last port that it said it listens on. */
async function urlOf(svc: Svc): Promise<string> {
  await svc.shows(/answering JSON-RPC on \S+:\d+/);
  const all = [...`${svc.output.stdout}${svc.output.stderr}`.matchAll(/answering JSON-RPC on \S+:(\d+)/g)];
  return `http://127.0.0.1:${all.at(-1)![1]}${svc === node ? NODE_PREFIX : ""}`;
}

async function call(svc: Svc, method: string, params: unknown[] = [], headers: Record<string, string> = {}) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body };
  const response = await fetch(await urlOf(svc), init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}
const blockNumber = (svc: Svc) =>
  call(svc, "node_getBlockNumber").then(
    ({ text }) => JSON.parse(text).result as number,
    () => undefined,
  );
const ready = async (svc: Svc) => (await fetch(`${await urlOf(svc)}/ready?maxL1AgeSeconds=1000000000`)).status;

test("--rpc-only needs the data directory of a node", async () => {
  const { code, stderr } = await runSvc(["start", "--rpc-only"]);
  expect(code).toBe(1);
  expect(stderr).toContain("--data-directory");
});

test("a process of --rpc-only that starts first serves the chain as the node syncs it", async () => {
  reader = startReader();
  await reader.shows(/waiting: no node has started on the data directory yet/);
  node = startNode();
  await expect.poll(() => blockNumber(reader)).toBe(LAST_BLOCK);
  await expect.poll(() => ready(reader)).toBe(200);
});

test("a process of --rpc-only answers like the node, from the store or by forwarding", async () => {
  await expect.poll(() => blockNumber(node)).toBe(LAST_BLOCK);
  const calls: [string, unknown[]][] = [
    ["node_getBlock", [7]],
    ["node_getL2Tips", []],
    ["node_getNodeInfo", []],
    ["node_getCurrentMinFees", []],
    ["node_getPendingTxCount", []],
    ["node_getTxReceipt", [`0x${"01".repeat(32)}`]],
    ["node_getPublicStorageAt", ["latest", `0x${"00".repeat(32)}`, `0x${"00".repeat(32)}`]],
    ["svc_getBlocks", [1, 3]],
    ["node_sendTx", ["no tx"]],
    ["nodeAdmin_getConfig", []],
    ["svcAdmin_getConfig", []],
    ["rpc.discover", []],
  ];
  for (const [method, params] of calls) {
    const [own, nodes] = [await call(reader, method, params), await call(node, method, params)];
    expect([own.status, own.text], method).toEqual([nodes.status, nodes.text]);
    expect(own.headers.get("x-svc-block"), method).toBe(nodes.headers.get("x-svc-block"));
  }
});

test("a client is not answered below the block that it has seen", async () => {
  const seen = (await call(node, "node_getBlockNumber")).headers.get("x-svc-block")!;
  expect(seen).toMatch(/^59 0x[0-9a-f]{64}$/);
  for (const svc of [reader, node]) {
    for (const mark of [seen, "59", "3"]) {
      expect(await call(svc, "node_getBlockNumber", [], { "x-svc-min-block": mark })).toMatchObject({ status: 200 });
    }
    const wrong = await call(svc, "node_getBlockNumber", [], { "x-svc-min-block": "latest" });
    expect([wrong.status, wrong.text]).toEqual([
      400,
      expect.stringContaining("x-svc-min-block must be a block number"),
    ]);
  }
  for (const mark of ["60", `59 0x${"01".repeat(32)}`]) {
    const ahead = await call(reader, "node_getBlockNumber", [], { "x-svc-min-block": mark });
    expect([ahead.status, ahead.headers.get("retry-after")], mark).toEqual([503, "1"]);
    expect(JSON.parse(ahead.text).error.code).toBe(-32002);
  }
});

test("processes of --rpc-only are stopped and killed without harm to the node", async () => {
  reader.child.kill("SIGSTOP");
  const second = startReader();
  await expect.poll(() => blockNumber(second)).toBe(LAST_BLOCK);
  second.child.kill("SIGKILL");
  await second.ended;
  expect(await blockNumber(node)).toBe(LAST_BLOCK);
  reader.child.kill("SIGCONT");
  await expect.poll(() => blockNumber(reader)).toBe(LAST_BLOCK);
});

test("a process of --rpc-only passes on what the pool of the node tells", async () => {
  subscriber = await SocketClient.to(Number(new URL(await urlOf(reader)).port));
  const { cursor } = await subscriber.subscribe("pendingTransactions");
  const direct = await SocketClient.to(Number(new URL(await urlOf(node)).port), {}, NODE_PREFIX);
  expect((await direct.subscribe("pendingTransactions")).cursor).toBe(cursor);
  await direct.leave();
  await subscriber.subscribe("transaction", { txHash: `0x${"01".repeat(32)}` });
  await expect.poll(() => subscriber.events.map(({ event }) => event.status)).toEqual(["dropped"]);
});

test("a process of --rpc-only reads on while the node is away, says so, and forwards again after its restart", async () => {
  node.child.kill("SIGKILL");
  await node.ended;
  expect(await blockNumber(reader)).toBe(LAST_BLOCK);
  const { status, text } = await call(reader, "node_getPendingTxCount");
  expect([status, text]).toEqual([503, expect.stringContaining("node_getPendingTxCount needs a full node")]);
  await expect.poll(() => ready(reader)).toBe(503);

  node = startNode();
  await node.shows(/initial sync is complete/);
  // The pool of another run: what it had is not known.
  expect(await subscriber.closed).toMatchObject({ code: 1013 });
  await expect.poll(async () => (await call(reader, "node_getPendingTxCount")).status).toBe(200);
  await expect.poll(() => ready(reader)).toBe(200);
});

test("a process of --rpc-only goes over to the store that replaces the node's", async () => {
  node.child.kill("SIGTERM");
  await node.ended;
  const at = (name: string) => join(folder, "data", name);
  cpSync(at("chain"), at("chain-next"), { recursive: true });
  renameSync(at("chain"), at("chain-old"));
  renameSync(at("chain-next"), at("chain"));
  await reader.shows(/the port closes until the store can be read again: the chain store was replaced/);
  await expect.poll(() => blockNumber(reader)).toBe(LAST_BLOCK);
  reader.child.kill("SIGTERM");
  expect((await reader.ended).code).toBe(143);
});
