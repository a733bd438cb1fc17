import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { freePort } from "../../support/free-port.ts";
import { NodeProcess, type RecordedL1, startRecordedL1 } from "../../world/node/recorded-node.ts";
import { SocketClient } from "../../world/rpc/socket-client.ts";

const KEY = "the-key-of-the-follower";
const LAST_BLOCK = 59;
const LIMIT = { timeout: 180_000, interval: 50 };

let l1: RecordedL1;
let folder: string;
let node: NodeProcess;
const followers: NodeProcess[] = [];

beforeAll(async () => {
  l1 = await startRecordedL1();
  folder = mkdtempSync(join(tmpdir(), "svc-forwarding-keys-"));
  const keys = join(folder, "keys.json");
  const sha256 = createHash("sha256").update(KEY).digest("hex");
  writeFileSync(keys, JSON.stringify({ keys: [{ name: "follower", sha256 }] }));
  const feedPort = await freePort();
  node = await NodeProcess.start(l1, undefined, {
    ...{ SVC_FEED_PORT: String(feedPort), SVC_RPC_THREADS: "1" },
    ...{ SVC_RPC_API_KEYS_FILE: keys, SVC_RPC_REQUIRE_API_KEY: "true" },
  });
  await node.synced();
  const keyed = (key: string) => ({ SVC_RPC_UPSTREAM_API_KEY: key });
  const all: Record<string, string>[] = [keyed(KEY), keyed("another-key"), {}];
  for (const given of all) {
    const upstream = `http://127.0.0.1:${feedPort}`;
    followers.push(await NodeProcess.startFollower(upstream, undefined, { SVC_RPC_THREADS: "1", ...given }));
  }
  for (const follower of followers) {
    await vi.waitUntil(async () => (await height(follower)) === LAST_BLOCK, LIMIT);
  }
});
afterAll(async () => {
  await Promise.all(followers.map((follower) => follower.remove()));
  await node?.remove();
  l1?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const height = (follower: NodeProcess) =>
  follower.ask("getBlockNumber").then(
    ({ body }) => body.result,
    () => undefined,
  );

test("the node refuses calls without a key", async () => {
  expect((await node.ask("getPendingTxCount")).status).toBe(401);
});

test("a follower with a key forwards the calls of clients that have none, and follows the pool", async () => {
  const [follower] = followers;
  expect(await follower.ask("getPendingTxCount")).toMatchObject({ status: 200, body: { result: 0 } });
  const client = await SocketClient.to(Number(new URL(follower.url).port));
  expect(await client.subscribe("pendingTransactions")).toMatchObject({ cursor: expect.any(String) });
  await client.subscribe("transaction", { txHash: `0x${"01".repeat(32)}` });
  await expect.poll(() => client.events.map(({ event }) => event.status)).toEqual(["dropped"]);
  await client.leave();
});

test.each([
  ["another key", 1, "does not know the API key of this process"],
  ["no key", 2, "requires an API key"],
])(
  "a follower with %s says so to its operator, and to clients only that the node does not take calls",
  async (_, at, told) => {
    const follower = followers[at];
    const { status, body } = await follower.ask("getPendingTxCount");
    expect([status, body.error]).toEqual([
      503,
      { code: -32002, message: "node_getPendingTxCount needs a full node, which does not take calls from this one" },
    ]);
    await expect.poll(() => follower.log).toContain(told);
    expect(follower.log).toContain("--rpc-upstream-api-key");
    expect(follower.log).not.toContain("another-key");
    expect(await height(follower)).toBe(LAST_BLOCK);
  },
);
