import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { loadCore } from "../../src/core/load-core.ts";
import { ContractMissingError, WrongChainError } from "../../src/l1/errors.ts";
import { type Anvil, startAnvil, unpackBlobStore } from "../world/l1/chain-a.ts";
import { deadUrl } from "../world/l1/http-fake.ts";
import { ReplayedL1 } from "../world/l1/replayed-l1.ts";
import { Follower } from "../world/node/follower.ts";

/** A proxy with a switchable target: each request goes to the current `target`; without one its socket is closed. */
class SwitchingProxy {
  target: () => string | undefined = () => undefined;
  requests = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<SwitchingProxy> {
    const proxy = new SwitchingProxy(
      createServer(async (incoming, outgoing) => {
        proxy.requests++;
        const target = proxy.target();
        const parts: Buffer[] = [];
        for await (const part of incoming) parts.push(part);
        if (target === undefined) return void incoming.socket.destroy();
        const headers = { "content-type": "application/json" };
        const answer = await fetch(target, { method: "POST", headers, body: Buffer.concat(parts) });
        outgoing.writeHead(answer.status, headers).end(Buffer.from(await answer.arrayBuffer()));
      }),
    );
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const core = loadCore();
let folder: string;
/** Two nodes of one L1, `behind` with fewer blocks. */
let ahead: ReplayedL1;
let behind: ReplayedL1;
let elsewhere: Anvil;
let proxies: SwitchingProxy[];
const open: Follower[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-endpoints-"));
  unpackBlobStore(join(folder, "blobs"));
  [ahead, behind] = await Promise.all([ReplayedL1.start(), ReplayedL1.start()]);
  elsewhere = await startAnvil(["--chain-id", "1"]);
  await Promise.all([ahead.replayToCheckpoint(8), behind.replayToCheckpoint(4), mineElsewhere(200)]);
  proxies = [await SwitchingProxy.open(), await SwitchingProxy.open()];
});
afterEach(async () => {
  for (const node of open.splice(0)) await node.remove();
});
afterAll(async () => {
  for (const proxy of proxies ?? []) proxy.close();
  await Promise.all([ahead?.stop(), behind?.stop(), elsewhere?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

async function follow(...l1RpcUrls: string[]): Promise<Follower> {
  const node = await Follower.open(core, { l1RpcUrls, blobStore: join(folder, "blobs") });
  open.push(node);
  return node;
}

/** Mines blocks on the other chain, so that it is the higher one. */
async function mineElsewhere(count: number): Promise<void> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "anvil_mine", params: [`0x${count.toString(16)}`] });
  await fetch(elsewhere.url, { method: "POST", headers: { "content-type": "application/json" }, body });
}

const tip = (node: Follower) => node.services.chain.latestCheckpointNumber();

async function expectLikeFreshSync(node: Follower): Promise<void> {
  const fresh = await follow(ahead.url);
  await Promise.all([node.sync(), fresh.sync()]);
  expect(await node.contents()).toEqual(await fresh.contents());
}

test("a dead first L1 endpoint is replaced by the next", async () => {
  const node = await follow(await deadUrl(), ahead.url);
  expect(await node.sync()).toBe(0);
  expect(tip(node)).toBe(8);
});

test("a first L1 endpoint that dies is replaced by the next until it is back", async () => {
  const [first] = proxies;
  first.target = () => behind.url;
  const node = await follow(first.url, ahead.url);
  await node.sync();
  // The first endpoint is behind but answers, so it is preferred.
  expect(tip(node)).toBe(4);
  first.target = () => undefined;
  await node.sync();
  expect(tip(node)).toBe(8);
  // An endpoint behind the synced blocks cannot prove a reorg: nothing is removed.
  first.target = () => behind.url;
  await node.sync();
  expect(tip(node)).toBe(8);
  first.target = () => ahead.url;
  await expectLikeFreshSync(node);
});

test("with L1 endpoints that answer in turns, the chain reaches the tip of the one ahead", async () => {
  const [first] = proxies;
  let asked = 0;
  first.target = () => (asked++ % 2 === 0 ? ahead.url : behind.url);
  const node = await follow(first.url, first.url);
  for (let i = 0; i < 20 && tip(node) < 8; i++) await node.sync(30);
  first.target = () => ahead.url;
  await node.sync();
  expect(tip(node)).toBe(8);
  await expectLikeFreshSync(node);
});

test("sync resumes when one of several dead L1 endpoints is back", async () => {
  const [first, second] = proxies;
  first.target = () => ahead.url;
  second.target = () => undefined;
  const node = await follow(first.url, second.url);
  first.target = () => undefined;
  await expect(node.synchronizer.syncOnce()).rejects.toThrow(/no L1 endpoint answered/);
  second.target = () => ahead.url;
  await node.sync();
  expect(tip(node)).toBe(8);
});

test("a node starts without the L1 endpoints that serve another chain, unless all do", async () => {
  for (const urls of [
    [elsewhere.url, ahead.url],
    [ahead.url, elsewhere.url],
  ]) {
    const node = await follow(...urls);
    expect(await node.sync()).toBe(0);
    expect(tip(node)).toBe(8);
  }
  const starting = follow(await deadUrl(), elsewhere.url);
  await expect(starting).rejects.toThrow(WrongChainError);
  await expect(starting).rejects.toMatchObject({ expected: 31337, actual: 1, url: elsewhere.url, fatal: true });
});

test("an L1 endpoint that answers for another chain all at once cannot change the store", async () => {
  const [first] = proxies;
  first.target = () => ahead.url;
  const node = await follow(first.url, ahead.url);
  await node.sync();
  expect(tip(node)).toBe(8);
  await ahead.mine({});
  first.target = () => elsewhere.url;
  await expect(node.synchronizer.syncOnce()).rejects.toThrow(ContractMissingError);
  expect(tip(node)).toBe(8);
  first.target = () => undefined;
  await expectLikeFreshSync(node);
});

test("an L1 endpoint that comes back with another chain does not stop the sync from the other one", async () => {
  const [first] = proxies;
  first.target = () => undefined;
  const node = await follow(first.url, ahead.url);
  await node.sync();
  expect(tip(node)).toBe(8);
  await ahead.mine({});
  first.target = () => elsewhere.url;
  await node.synchronizer.syncOnce();
  expect(tip(node)).toBe(8);
  first.target = () => undefined;
  await expectLikeFreshSync(node);
});
