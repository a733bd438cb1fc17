import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { freePort } from "../../support/free-port.ts";
import { ADMIN_API_KEY, NodeProcess, type RecordedL1, startRecordedL1 } from "../../world/node/recorded-node.ts";

const LAST_BLOCK = 59;
const KEPT_BLOCK = 30;
const LIMIT = { timeout: 180_000, interval: 50 };

let l1: RecordedL1;
let node: NodeProcess;
let follower: NodeProcess;

beforeAll(async () => {
  l1 = await startRecordedL1();
  const feedPort = await freePort();
  node = await NodeProcess.start(l1, undefined, { SVC_FEED_PORT: String(feedPort), SVC_RPC_THREADS: "1" });
  await node.synced();
  const upstream = `http://127.0.0.1:${feedPort}`;
  follower = await NodeProcess.startFollower(upstream, undefined, { SVC_RPC_THREADS: "1" });
  await vi.waitUntil(async () => (await height()) === LAST_BLOCK, LIMIT);
  await vi.waitUntil(() => follower.log.includes("answering admin JSON-RPC"), LIMIT);
});
afterAll(async () => {
  for (const each of [follower, node]) await each?.remove();
  l1?.stop();
});

async function admin(method: string, params: unknown[] = [], key = ADMIN_API_KEY, path = "") {
  const response = await fetch(`${follower.adminUrl}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return (await response.json()) as { result?: unknown; error?: { code: number; message: string } };
}

const height = () =>
  follower.ask("getBlockNumber").then(
    ({ body }) => body.result,
    () => undefined,
  );

test("the admin port of a follower asks for the API key", async () => {
  expect((await admin("svcAdmin_getConfig", [], "00")).error?.message).toMatch(/^Unauthorized/);
});

test("the admin port of a follower rolls the follower back, keeps it there while paused, and lets the feed restore it", async () => {
  expect(await admin("svcAdmin_rollbackTo", [KEPT_BLOCK, false, false])).toMatchObject({ result: null });
  expect(await height()).toBe(KEPT_BLOCK);
  expect(await admin("svcAdmin_setConfig", [{ archiverPollingIntervalMS: 100 }])).toMatchObject({ result: null });
  expect((await admin("svcAdmin_getConfig")).result).toMatchObject({ archiverPollingIntervalMS: 100 });
  expect(await height()).toBe(KEPT_BLOCK);
  expect(await admin("svcAdmin_resumeSync")).toMatchObject({ result: null });
  await expect.poll(height).toBe(LAST_BLOCK);
  expect((await follower.ask("getPublicDataWitness", ["latest", `0x${"07".repeat(32)}`])).body).toEqual(
    (await node.ask("getPublicDataWitness", ["latest", `0x${"07".repeat(32)}`])).body,
  );
});

test.each([
  ["svcAdmin_pauseSequencer", [], "Cannot pause sequencer: no sequencer is running"],
  ["nodeAdmin_getSlashPayloads", [], "Slasher client not enabled"],
  ["svcAdmin_reloadKeystore", [], "Cannot reload keystore: node is not using a file-based keystore"],
  [
    "svcAdmin_startSnapshotUpload",
    ["file:///nowhere"],
    "Archiver implementation does not support backups. Cannot generate snapshot.",
  ],
  ["svcAdmin_setConfig", [{ maxTxsPerBlock: 3 }], "maxTxsPerBlock: this node runs no sequencer. Nothing was changed"],
  ["svcAdmin_rollbackTo", [LAST_BLOCK], "Target L2 block 59 must be less than current L2 block 59"],
])("the admin port of a follower refuses %s with the reason", async (method, params, message) => {
  expect((await admin(method, params)).error?.message).toContain(message);
});

test("the admin port of a follower tells what a follower has to report, and asks its full node for the rest", async () => {
  expect((await admin("svcAdmin_getHealth")).result).toMatchObject({ blockNumber: LAST_BLOCK });
  expect((await admin("svcAdmin_getConnectedPeers")).result).toEqual([]);
  const read = (method: string) => admin(method, [], ADMIN_API_KEY, "/ui/rpc");
  expect(await read("svc_getBlockNumber")).toMatchObject({ result: LAST_BLOCK });
  await expect.poll(() => read("svc_getPendingTxCount")).toMatchObject({ result: 0 });
  expect((await fetch(`${follower.adminUrl}/ui`)).status).toBe(200);
});
