import { createHash } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterEach, expect, test } from "vitest";
import { toHex } from "../../../src/protocol/bytes.ts";
import { UpstreamEndpoints } from "../../../src/rpc/forward/upstream-endpoints.ts";
import { UpstreamPool } from "../../../src/rpc/forward/upstream-pool.ts";
import { KeyRing } from "../../../src/rpc/keys/key-ring.ts";
import { keyAccess, sharedKeys } from "../../../src/rpc/keys/shared-keys.ts";
import { OpenConnections } from "../../../src/rpc/limits/open-connections.ts";
import { SharedBuckets } from "../../../src/rpc/limits/shared-buckets.ts";
import { SocketCounts } from "../../../src/rpc/limits/socket-counts.ts";
import { ABSENT_SERVICES } from "../../../src/rpc/ports/absent-services.ts";
import type { PoolStatus } from "../../../src/rpc/ports/mempool.ts";
import type { PoolChange, PoolEvents } from "../../../src/rpc/ports/pool-events.ts";
import { publicRegistry } from "../../../src/rpc/server/public-registry.ts";
import { startRpcServer } from "../../../src/rpc/server/rpc-server.ts";
import { SocketCuts } from "../../../src/rpc/subscriptions/socket-cuts.ts";
import type { Listener } from "../../../src/rpc/wire/listener.ts";
import { freePort } from "../../support/free-port.ts";
import { fakeContent, fakeServices, recordingLogger, settledTx, wordOf } from "../../world/rpc/fakes.ts";
import { MovingChain } from "../../world/rpc/moving-chain.ts";
import { SocketClient } from "../../world/rpc/socket-client.ts";

/** Subscriptions to the pool in processes that have none: the pool of a node, over real sockets. */

const KEY = "the-key";
const SOCKETS = {
  maxPerClient: 100,
  maxSubscriptions: 10,
  maxFilters: 100,
  maxMessageBytes: 64 * 1024,
  maxBuffered: 1024 * 1024,
  idleTimeoutMs: 60_000,
  maxBehind: 1_000,
};

const listeners = new Set<Listener>();
const clients: SocketClient[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.leave()));
  for (const listener of listeners) await listener.close(0);
  listeners.clear();
});

async function connect(port: number): Promise<SocketClient> {
  const client = await SocketClient.to(port);
  clients.push(client);
  return client;
}

/** The pool of one run of a node. */
class Pool implements PoolEvents {
  readonly statuses = new Map<string, PoolStatus>();
  readonly #kept: PoolChange[];
  readonly #run: string;
  readonly #listeners = new Set<(change: PoolChange) => void>();

  constructor(run: string) {
    this.#run = run;
    this.#kept = [{ run, number: 0, added: [], removed: [] }];
  }

  onChange(listener: (change: PoolChange) => void): () => void {
    for (const change of this.#kept) listener(change);
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #change(change: { added?: Uint8Array[]; removed?: Uint8Array[] }): void {
    const whole = { run: this.#run, number: this.#kept.length, added: [], removed: [], ...change };
    this.#kept.push(whole);
    for (const listener of this.#listeners) listener(whole);
  }

  add(hash: Uint8Array): void {
    this.statuses.set(toHex(hash), "pending");
    this.#change({ added: [hash] });
  }

  remove(hash: Uint8Array): void {
    this.statuses.delete(toHex(hash));
    this.#change({ removed: [hash] });
  }
}

async function serve(port: number, pool: PoolEvents, poolStatus: UpstreamPool["status"], served: object = {}) {
  const chain = new MovingChain();
  chain.change({ added: 3 });
  const mined: { in?: number } = {};
  const content = fakeContent({
    settledTx: (hash) =>
      mined.in === undefined || hash[0] !== 1
        ? undefined
        : { ...settledTx(), blockNumber: mined.in, blockHash: chain.reader.block(mined.in)!.hash },
  });
  const mempool = { ...ABSENT_SERVICES.mempool, status: poolStatus };
  const services = fakeServices({ chain: chain.reader, content, mempool });
  const connections = new OpenConnections();
  const listener = await startRpcServer(
    publicRegistry(services),
    {
      listen: {
        ...{ host: "127.0.0.1", port },
        shared: {
          connections,
          rateLimit: SharedBuckets.memory(),
          sockets: new SocketCounts(SocketCounts.memory(1), 0),
          cuts: new SocketCuts(),
        },
      },
      serve: { namespaces: ["svc", "node"], ...served },
      limits: { maxConnectionsPerClient: 100 },
      sockets: { settings: SOCKETS, sources: { ...services, store: chain, pool, poolStatus } },
    },
    recordingLogger(),
  );
  listeners.add(listener);
  const stop = async () => {
    listeners.delete(listener);
    await listener.close(0);
  };
  return { chain, mined, port: listener.port, openConnections: () => connections.total, stop };
}

const startNode = (pool: Pool, port = 0, served: object = {}) =>
  serve(port, pool, async (hash) => pool.statuses.get(toHex(hash)), served);

async function startFollower(ports: readonly number[], apiKey?: string, readyMs?: number) {
  const log = recordingLogger();
  const upstreams = new UpstreamEndpoints(() => ports.map((port) => `http://127.0.0.1:${port}`), recordingLogger());
  const pool = new UpstreamPool({ upstreams, apiKey, log, readyMs });
  return { ...(await serve(0, pool, (hash) => pool.status(hash))), log };
}

const TX = wordOf(1);
const statuses = ({ events }: SocketClient) => events.map(({ event }) => event.status);
const added = ({ events }: SocketClient) => events.flatMap(({ event }) => event.added as string[]);

test("all of a thread share one connection, which lasts as long as somebody listens", async () => {
  const pool = new Pool("a");
  const node = await startNode(pool);
  const follower = await startFollower([node.port]);
  const further = await startFollower([follower.port]);
  expect(node.openConnections()).toBe(0);
  const all = await Promise.all([follower, follower, further].map(({ port }) => connect(port)));
  for (const client of all) await client.subscribe("pendingTransactions");
  expect(node.openConnections()).toBe(1);
  pool.add(TX);
  pool.remove(TX);
  for (const client of all) {
    await expect.poll(() => client.events.length).toBe(2);
    expect(client.events.map(({ cursor, event }) => [cursor, event.added, event.removed])).toEqual([
      ["a.1", [toHex(TX)], []],
      ["a.2", [], [toHex(TX)]],
    ]);
  }
  for (const client of all) await client.leave();
  await expect.poll(() => node.openConnections()).toBe(0);
  const resumed = await connect(further.port);
  await resumed.subscribe("pendingTransactions", { cursor: "a.1" });
  await expect.poll(() => resumed.events.map(({ cursor }) => cursor)).toEqual(["a.2"]);
  await expect(all[0].closed).resolves.toBeDefined();
});

test("a transaction's status is the pool's until the own store has its block", async () => {
  const pool = new Pool("a");
  const node = await startNode(pool);
  const follower = await startFollower([node.port]);
  const client = await connect(follower.port);
  await client.subscribe("transaction", { txHash: toHex(TX) });
  await expect.poll(() => statuses(client)).toEqual(["dropped"]);
  pool.add(TX);
  await expect.poll(() => statuses(client)).toEqual(["dropped", "pending"]);
  // The node has the block, the follower does not: there is nothing to tell.
  node.mined.in = 2;
  pool.remove(TX);
  const other = await connect(follower.port);
  await other.subscribe("transaction", { txHash: toHex(TX) });
  await expect.poll(() => statuses(other)).toEqual(["pending"]);
  // Not even the end of the node keeps what the store has from being told.
  await node.stop();
  follower.mined.in = 4;
  follower.chain.change({ added: 1 });
  await expect.poll(() => statuses(client)).toEqual(["dropped", "pending", "proposed"]);
  await expect.poll(() => statuses(other)).toEqual(["pending", "proposed"]);
});

test("what happened while the connection was broken follows, without a gap", async () => {
  const pool = new Pool("a");
  const port = await freePort();
  const node = await startNode(pool, port);
  const follower = await startFollower([port]);
  const client = await connect(follower.port);
  await client.subscribe("pendingTransactions");
  await client.subscribe("transaction", { txHash: toHex(TX) });
  pool.add(wordOf(7));
  await expect.poll(() => client.events.length).toBe(2);
  await node.stop();
  await expect.poll(() => follower.log.entries.length).toBe(1);
  pool.add(TX);
  // Asked while the node is away, answered when it is back.
  const late = await connect(follower.port);
  await late.subscribe("transaction", { txHash: toHex(wordOf(7)) });
  await startNode(pool, port);
  await expect.poll(() => statuses(client).filter(Boolean), { timeout: 20_000 }).toEqual(["dropped", "pending"]);
  const hashes = () => client.events.flatMap(({ event }) => (event.added as string[] | undefined) ?? []);
  await expect.poll(hashes).toEqual([wordOf(7), TX].map(toHex));
  await expect.poll(() => statuses(late)).toEqual(["pending"]);
  expect(follower.log.entries.map(({ message }) => message)).toEqual([
    "the pool of a full node cannot be followed",
    "the pool of a full node is followed again",
  ]);
});

test("another run of the pool ends connections that may have missed changes, and statuses are asked again", async () => {
  const [first, second] = [new Pool("a"), new Pool("b")];
  const [node, other] = [await startNode(first), await startNode(second)];
  const follower = await startFollower([node.port, other.port]);
  const [pending, transaction] = [await connect(follower.port), await connect(follower.port)];
  await pending.subscribe("pendingTransactions");
  await transaction.subscribe("transaction", { txHash: toHex(TX) });
  first.add(TX);
  await expect.poll(() => statuses(transaction).at(-1)).toBe("pending");
  await node.stop();
  expect(await pending.closed).toEqual({ code: 1013, reason: "events were missed; subscribe without a cursor" });
  await expect.poll(() => statuses(transaction).at(-1)).toBe("dropped");
  const again = await connect(follower.port);
  await expect(again.subscribe("pendingTransactions", { cursor: "a.1" })).rejects.toThrow("cursor: too old");
  await again.subscribe("pendingTransactions");
  second.add(TX);
  await expect.poll(() => added(again)).toEqual([toHex(TX)]);
  await expect.poll(() => statuses(transaction).at(-1)).toBe("pending");
});

test("a node that accepts connections and never answers costs a second, and the next one is followed", async () => {
  const silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  const pool = new Pool("a");
  const node = await startNode(pool);
  // Less than the limit of a handshake.
  const follower = await startFollower([(silent.address() as AddressInfo).port, node.port], undefined, 4_500);
  const client = await connect(follower.port);
  await client.subscribe("pendingTransactions");
  pool.add(TX);
  await expect.poll(() => added(client)).toEqual([toHex(TX)]);
  silent.close();
});

test("many statuses are asked a few at a time", async () => {
  const pool = new Pool("a");
  const follower = await startFollower([(await startNode(pool)).port]);
  const all = await Promise.all(Array.from({ length: 10 }, () => connect(follower.port)));
  await Promise.all(
    all.flatMap((client, i) =>
      Array.from({ length: 10 }, (_, k) =>
        client.subscribe("transaction", { txHash: `0x${String(i * 10 + k).padStart(64, "0")}` }),
      ),
    ),
  );
  for (const client of all) await expect.poll(() => statuses(client)).toEqual(Array(10).fill("dropped"));
});

test("a node that asks for an API key is followed with one and not without, and the key is not logged", async () => {
  const shared = sharedKeys(true);
  const hash = createHash("sha256").update(KEY).digest();
  const keys = keyAccess(new KeyRing([{ name: "follower", hash, rateLimit: 0 }]), shared);
  const pool = new Pool("a");
  const node = await startNode(pool, 0, { keys });
  await expect(SocketClient.to(node.port)).rejects.toThrow("401");
  const client = await connect((await startFollower([node.port], KEY)).port);
  await client.subscribe("pendingTransactions");
  pool.add(TX);
  await expect.poll(() => added(client)).toEqual([toHex(TX)]);
  const refused = await startFollower([node.port], "another-key", 1);
  const without = await connect(refused.port);
  await expect(without.subscribe("pendingTransactions")).rejects.toThrow("-32002 The pool of the full node");
  expect(JSON.stringify(refused.log.entries.map(({ facts }) => String((facts as { err: Error }).err)))).not.toContain(
    "another-key",
  );
});
