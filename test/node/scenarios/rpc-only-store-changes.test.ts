import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { putIdentity, readIdentity, SCHEMA_VERSION } from "../../../src/storage/identity.ts";
import { keptDirectory, withStore } from "../../world/chain-store/kept-directory.ts";
import { runSvc, type Svc, spawnSvc } from "../../world/cli/run-svc.ts";
import { ADMIN_API_KEY, NodeProcess, type RecordedL1, startRecordedL1 } from "../../world/node/recorded-node.ts";
import { SocketClient } from "../../world/rpc/socket-client.ts";

/** The tests share a node and a process of --rpc-only, and run in order. */
const LAST_BLOCK = 59;
const KEPT_BLOCK = 30;
const LIMIT = { timeout: 180_000, interval: 50 };
const SLOT = `0x${"07".repeat(32)}`;

let l1: RecordedL1;
let folder: string;
let node: NodeProcess;
let reader: Svc;
const running = new Set<Svc>();
const nodes: NodeProcess[] = [];

beforeAll(async () => {
  l1 = await startRecordedL1();
  folder = mkdtempSync(join(tmpdir(), "svc-rpc-only-changes-"));
  node = await startNode(join(folder, "data"));
  await node.synced();
  reader = startReader(join(folder, "data"));
  await vi.waitUntil(async () => (await height(reader)) === LAST_BLOCK, LIMIT);
});

afterAll(async () => {
  for (const svc of running) svc.child.kill("SIGKILL");
  for (const each of nodes) await each.remove();
  l1?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function startNode(directory: string, environment: Record<string, string> = {}): Promise<NodeProcess> {
  const started = await NodeProcess.start(l1, directory, { SVC_RPC_THREADS: "1", ...environment });
  nodes.push(started);
  return started;
}

function startReader(directory: string): Svc {
  const flags = ["--port", "0", "--rpc-host", "127.0.0.1", "--rpc-threads", "1", "--rpc-min-block-wait", "1"];
  const svc = spawnSvc(["start", "--rpc-only", "--data-directory", directory, ...flags]);
  running.add(svc);
  svc.ended.then(() => running.delete(svc));
  return svc;
}

/** Of the last port that it said it listens on. */
async function portOf(svc: Svc): Promise<number> {
  await svc.shows(/answering JSON-RPC on \S+:\d+/);
  const all = [...`${svc.output.stdout}${svc.output.stderr}`.matchAll(/answering JSON-RPC on \S+:(\d+)/g)];
  return Number(all.at(-1)![1]);
}

async function post(url: string, method: string, params: unknown[], headers: Record<string, string> = {}) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const ask = async (svc: Svc, method: string, params: unknown[] = [], headers: Record<string, string> = {}) =>
  post(`http://127.0.0.1:${await portOf(svc)}`, method, params, headers);

const height = (svc: Svc) =>
  ask(svc, "node_getBlockNumber").then(
    ({ text }) => JSON.parse(text).result as number,
    () => undefined,
  );

const admin = (method: string, params: unknown[] = []) =>
  post(node.adminUrl, method, params, { "x-api-key": ADMIN_API_KEY });

async function sameAnswers(): Promise<void> {
  const reads: [string, unknown[]][] = [
    ["node_getL2Tips", []],
    ["node_getBlock", ["latest"]],
    ["node_getPublicDataWitness", ["latest", SLOT]],
    ["node_getLowNullifierMembershipWitness", ["latest", SLOT]],
    ["node_getWorldStateSyncStatus", []],
    ["node_getCheckpoints", [1, 50]],
  ];
  for (const [method, params] of reads) {
    expect((await ask(reader, method, params)).text, method).toBe((await post(node.url, method, params)).text);
  }
}

test("a process of --rpc-only follows the node when it unwinds blocks and syncs them again", async () => {
  const mark = (await ask(reader, "node_getBlockNumber")).headers.get("x-svc-block")!;
  const subscriber = await SocketClient.to(await portOf(reader));
  await subscriber.subscribe("blocks");

  expect(JSON.parse((await admin("svcAdmin_rollbackTo", [KEPT_BLOCK, false, false])).text)).toMatchObject({
    result: null,
  });
  await expect.poll(() => height(reader)).toBe(KEPT_BLOCK);
  await sameAnswers();
  const ahead = await ask(reader, "node_getBlockNumber", [], { "x-svc-min-block": mark });
  expect([ahead.status, JSON.parse(ahead.text).error.code]).toEqual([503, -32002]);

  expect(JSON.parse((await admin("svcAdmin_resumeSync")).text)).toMatchObject({ result: null });
  await expect.poll(() => height(reader)).toBe(LAST_BLOCK);
  await sameAnswers();
  expect(await ask(reader, "node_getBlockNumber", [], { "x-svc-min-block": mark })).toMatchObject({ status: 200 });
  await expect.poll(() => subscriber.events.length).toBe(1 + LAST_BLOCK - KEPT_BLOCK);
  const [reorg, ...blocks] = subscriber.events.map(({ event }) => event);
  expect(reorg).toMatchObject({ type: "reorg", ancestor: { number: KEPT_BLOCK } });
  expect(blocks.map(({ block }) => (block as { number: number }).number)).toEqual(
    Array.from({ length: LAST_BLOCK - KEPT_BLOCK }, (_, i) => KEPT_BLOCK + 1 + i),
  );
  await subscriber.leave();
});

test("a process of --rpc-only goes over to the snapshot that the node takes when its store is lost", async () => {
  const snapshots = `file://${folder}/snapshots`;
  expect(JSON.parse((await admin("svcAdmin_startSnapshotUpload", [snapshots])).text).error).toBeUndefined();
  await expect.poll(() => node.log.includes("snapshot is uploaded")).toBe(true);
  await node.end("SIGTERM");
  expect(await height(reader)).toBe(LAST_BLOCK);

  rmSync(join(folder, "data", "chain"), { recursive: true });
  node = await startNode(join(folder, "data"), { SYNC_SNAPSHOTS_URLS: snapshots });
  await reader.shows(/the port closes until the store can be read again: the chain store was replaced/);
  await node.synced();
  expect(node.log).toContain("the snapshot is verified and in place");
  await expect.poll(() => height(reader)).toBe(LAST_BLOCK);
  // The node has another port now.
  await expect.poll(async () => (await ask(reader, "node_getPendingTxCount")).status).toBe(200);
  await sameAnswers();
});

test("a process of --rpc-only waits for the node to migrate a store, and ends beside a later version's", async () => {
  const older = keptDirectory(SCHEMA_VERSION - 1);
  try {
    cpSync(join(folder, "data", "node.json"), join(older, "node.json"));
    const waiting = startReader(older);
    await waiting.shows(/waiting: the chain store is being migrated/);
    const migrating = await startNode(older);
    await expect.poll(() => height(waiting)).toBe(LAST_BLOCK);
    await migrating.end("SIGTERM");
    expect(await height(waiting)).toBe(LAST_BLOCK);

    await withStore(join(older, "chain"), (store) => {
      const identity = readIdentity(store)!;
      store.transaction(() => putIdentity(store, { ...identity, schemaVersion: SCHEMA_VERSION + 1 }));
    });
    const { code, stderr } = await waiting.ended;
    expect(code).toBe(1);
    const fault = `has schema version ${SCHEMA_VERSION + 1}, this node reads version ${SCHEMA_VERSION}`;
    expect(stderr).toContain(fault);
    const again = await runSvc(["start", "--rpc-only", "--data-directory", older, "--port", "0"], { LOG_JSON: "1" });
    expect(again.code).toBe(1);
    for (const part of [fault, '"errorCode":"store-schema"']) expect(again.stderr).toContain(part);
  } finally {
    rmSync(older, { recursive: true, force: true });
  }
});
