import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { freePort } from "../support/free-port.ts";
import { type RecordedL1, recordedNetworkEnvironment, startRecordedL1 } from "../world/node/recorded-node.ts";
import { ClusterNode } from "./cluster-node.ts";
import { FeedProxy } from "./feed-proxy.ts";
import { HaProxy, SERVERS } from "./haproxy.ts";
import { ReadLoad } from "./read-load.ts";
import "../support/soak.ts";

const LIMIT = { timeout: 60_000, interval: 50 };
/** Answers by which a phase has been seen by all clients. */
const SOME_READS = 100;

const folder = mkdtempSync(join(tmpdir(), "svc-haproxy-"));
let l1: RecordedL1;
let nodes: ClusterNode[] = [];
let haproxy: HaProxy;
let load: ReadLoad;
let feed: FeedProxy;

beforeAll(async () => {
  l1 = await startRecordedL1();
  const feedPort = await freePort();
  const network = recordedNetworkEnvironment({ l1Url: l1.anvil.url, blobStore: l1.chain.blobStore });
  const fullNode = { args: ["--node"], environment: { ...network, SVC_FEED_PORT: String(feedPort) } };
  feed = await FeedProxy.start(feedPort);
  const follower = { args: ["--follower"], environment: { FOLLOWER_UPSTREAM_URL: feed.url } };
  const kinds = [
    { name: "full", ...fullNode },
    { name: "follower-1", ...follower },
    { name: "follower-2", ...follower },
  ];
  nodes = await Promise.all(kinds.map(async (kind) => new ClusterNode({ ...kind, folder, port: await freePort() })));
  for (const node of nodes) node.start();
  for (const node of nodes) await vi.waitUntil(() => node.isReady(), LIMIT);
  const [full, first, second] = nodes.map(({ address }) => address);
  haproxy = await HaProxy.start([full, first, second], folder);
  await vi.waitUntil(() => haproxy.isUp(...SERVERS), LIMIT);
  load = new ReadLoad(haproxy.url, { clients: 4, pauseMs: 5 });
});

afterAll(async () => {
  await load?.end();
  await haproxy?.stop();
  for (const node of nodes) await node.end("SIGKILL");
  feed?.stop();
  l1?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** More reads are answered, and none has failed or was older than its client had seen. */
async function readsGoOn(): Promise<void> {
  const from = load.answered;
  await expect.poll(() => load.answered, LIMIT).toBeGreaterThan(from + SOME_READS);
  const { failed, old, behind } = load.take();
  expect({ failed, old, behind }).toEqual({ failed: [], old: [], behind: 0 });
}

test("no read fails while a follower is killed and the full node hangs", async () => {
  const [full, follower] = nodes;
  await readsGoOn();
  await follower.end("SIGKILL");
  await readsGoOn();
  full.signal("SIGSTOP");
  await expect.poll(() => haproxy.isUp("full"), LIMIT).toBe(false);
  await readsGoOn();
  full.signal("SIGCONT");
  follower.start();
  await expect.poll(() => haproxy.isUp(...SERVERS), LIMIT).toBe(true);
  await readsGoOn();
});

test("no read fails while the feed is held back and all nodes are drained and started again, one by one", async () => {
  feed.pause(true);
  await readsGoOn();
  feed.pause(false);
  for (const [i, server] of SERVERS.entries()) {
    await haproxy.drain(server);
    await nodes[i].end("SIGTERM");
    await readsGoOn();
    nodes[i].start();
    await haproxy.undrain(server);
    await expect.poll(() => haproxy.isUp(...SERVERS), LIMIT).toBe(true);
    await readsGoOn();
  }
});

test("what is true for ever is answered by HAProxy's cache when no node is left", async () => {
  const [, tip] = (await call("node_getBlockNumber")).headers.get("x-svc-block")?.split(" ") ?? [];
  const query = encodeURIComponent(JSON.stringify([tip]));
  const read = () => fetch(`${haproxy.url}/v1/node_getBlockByHash?params=${query}`);
  const first = await read();
  expect(first.headers.get("cache-control")).toContain("immutable");
  const body = await first.text();
  await load.end();
  for (const node of nodes) await node.end("SIGKILL");
  const cached = await read();
  expect({ status: cached.status, body: await cached.text() }).toEqual({ status: 200, body });
  expect((await call("node_getBlock", 2)).status).toBe(503);
});

function call(method: string, ...params: unknown[]): Promise<Response> {
  return fetch(haproxy.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
}
