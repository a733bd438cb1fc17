import { once } from "node:events";
import net from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { toHex } from "../../../src/protocol/bytes.ts";
import { Dispatcher } from "../../../src/rpc/calls/dispatcher.ts";
import { AnswerBudget } from "../../../src/rpc/limits/answer-budget.ts";
import { ClientLimit } from "../../../src/rpc/limits/client-limit.ts";
import { OpenConnections } from "../../../src/rpc/limits/open-connections.ts";
import { openRpcDocument } from "../../../src/rpc/openrpc/document.ts";
import type { PoolStatus } from "../../../src/rpc/ports/mempool.ts";
import type { PoolChange } from "../../../src/rpc/ports/pool-events.ts";
import { RpcApplication } from "../../../src/rpc/routes/rpc-application.ts";
import { publicRegistry } from "../../../src/rpc/server/public-registry.ts";
import { originGate } from "../../../src/rpc/subscriptions/socket-access.ts";
import { SocketApplication } from "../../../src/rpc/subscriptions/socket-application.ts";
import { SocketCuts } from "../../../src/rpc/subscriptions/socket-cuts.ts";
import { SubscriptionHub } from "../../../src/rpc/subscriptions/subscription-hub.ts";
import type { Listener } from "../../../src/rpc/wire/listener.ts";
import { listenWithNode } from "../../../src/rpc/wire/node/listener.ts";
import { listenWithUws } from "../../../src/rpc/wire/uws/listener.ts";
import { fakeServices, recordingLogger, wordOf } from "../../world/rpc/fakes.ts";
import { Checker } from "../../world/rpc/json-schema.ts";
import { MovingChain } from "../../world/rpc/moving-chain.ts";
import { frameHead, rawSocket, readClose, SocketClient } from "../../world/rpc/socket-client.ts";

/** WebSockets over both adapters: calls, subscriptions, limits, and clients that do not read. */

const JSON_TYPE = { "content-type": "application/json", connection: "close" };
const MAX_MESSAGE = 64 * 1024;
const MAX_BUFFERED = 64 * 1024;
const PER_CLIENT = 8;

const description = openRpcDocument(publicRegistry(fakeServices()), ["svc"]);
const described = new Checker(description);

describe.each([
  ["uWebSockets.js", listenWithUws],
  ["node:http", listenWithNode],
])("WebSockets of %s", (adapter, listen) => {
  let chain: MovingChain;
  let listener: Listener;
  let connections: OpenConnections;
  let budget: AnswerBudget;
  let sockets: SocketApplication;
  let pool: { listener?: (change: PoolChange) => void; statuses: Map<string, PoolStatus>; number: number };
  const clients: SocketClient[] = [];
  let revoked = false;
  const logger = recordingLogger();

  let unfinished: AnswerBudget;
  let cuts: SocketCuts;
  const cutSockets = () =>
    Object.fromEntries(cuts.read().flatMap(({ cause, count }) => (count ? [[cause, count]] : [])));

  const start = async ({
    stallTimeoutMs = 120_000,
    messageTimeoutMs = 120_000,
    maxMessageBytes = MAX_MESSAGE,
    maxUnfinished = 1024 * 1024,
    perSecond = 0,
  } = {}) => {
    unfinished = new AnswerBudget(maxUnfinished);
    cuts = new SocketCuts();
    logger.entries.length = 0;
    chain = new MovingChain();
    chain.change({ added: 3 });
    connections = new OpenConnections();
    budget = new AnswerBudget(16 * 1024 * 1024);
    pool = { statuses: new Map(), number: 0 };
    const services = fakeServices({ chain: chain.reader });
    const dispatcher = new Dispatcher(
      publicRegistry(services),
      { maxBatchSize: 10, namespaces: ["svc", "node"], expectedErrors: [] },
      logger,
    );
    const application = new RpcApplication(
      dispatcher,
      { maxBodyBytes: MAX_MESSAGE, versionHeaders: [], healthy: () => true },
      logger,
    );
    const hub = new SubscriptionHub(
      {
        ...services,
        store: chain,
        pool: {
          onChange(given) {
            pool.listener = given;
            given({ run: "a", number: 0, added: [], removed: [] });
            return () => undefined;
          },
        },
        poolStatus: async (hash) => pool.statuses.get(toHex(hash)),
      },
      { maxBehind: 1_000 },
    );
    const rateLimit = perSecond > 0 ? new ClientLimit({ perSecond, now: () => 0 }) : undefined;
    sockets = new SocketApplication(
      hub,
      {
        paths: ["/"],
        settings: {
          maxPerClient: PER_CLIENT,
          maxSubscriptions: 4,
          maxFilters: 5,
          maxMessageBytes,
          maxBuffered: MAX_BUFFERED,
          idleTimeoutMs: 60_000,
          maxBehind: 1_000,
        },
        stallTimeoutMs,
        messageTimeoutMs,
        unfinished,
        cuts,
        gate: originGate(() => () => (revoked ? undefined : { dispatcher, rateLimit }), ["https://a.example"]),
        budget,
      },
      logger,
    );
    listener = await listen(application, {
      host: "127.0.0.1",
      port: 0,
      requestTimeoutMs: 120_000,
      stallTimeoutMs: 120_000,
      maxConnections: 64,
      connections,
      budget,
      webSocket: sockets,
    });
  };
  const connect = async () => {
    const client = await SocketClient.to(listener.port);
    clients.push(client);
    return client;
  };
  const changed = (change: Partial<PoolChange>) => {
    pool.number += 1;
    pool.listener?.({ run: "a", number: pool.number, added: [], removed: [], ...change });
  };

  describe("with a chain", () => {
    beforeAll(() => start());
    afterEach(async () => {
      await Promise.all(clients.splice(0).map((client) => client.leave()));
      // Nothing is left of the clients.
      await expect.poll(() => connections.total).toBe(0);
      expect(budget.waiting).toBe(0);
    });
    afterAll(() => listener.close(0));

    test("calls, batches and broken texts are answered as over HTTP", async () => {
      const client = await connect();
      expect(await client.call("node_getBlockNumber")).toBe(chain.latest);
      await expect(client.call("svc_nothing")).rejects.toThrow("-32601 Method not found: svc_nothing");
      const batch = [1, 2].map((id) => ({ jsonrpc: "2.0", id, method: "node_getBlockNumber", params: [] }));
      client.ws.send(JSON.stringify(batch));
      client.ws.send("{");
      client.ws.send("");
      await expect.poll(() => client.answers.length).toBe(5);
      expect(client.answers[2]).toEqual(batch.map(({ id }) => ({ jsonrpc: "2.0", id, result: chain.latest })));
      const response = await fetch(`http://127.0.0.1:${listener.port}/`, {
        method: "POST",
        body: "{",
        headers: JSON_TYPE,
      });
      expect(client.answers[3]).toEqual(await response.json());
      expect(logger.entries).toEqual([]);
    });

    test("over HTTP a subscription is refused", async () => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "svc_subscribe", params: ["tips"] });
      const response = await fetch(`http://127.0.0.1:${listener.port}/`, { method: "POST", body, headers: JSON_TYPE });
      const { error } = (await response.json()) as { error: { message: string } };
      expect(error.message).toMatch("Subscriptions need a WebSocket connection");
    });

    test("tips and blocks come after each commit, and match the API description", async () => {
      const client = await connect();
      const tips = await client.subscribe("tips");
      expect(tips.subscription).toBe("tips");
      const { subscription } = await client.subscribe("blocks", { includeTransactions: true });
      await expect.poll(() => client.events.length).toBe(1);
      const first = chain.latest + 1;
      chain.change({ added: 2 });
      await expect.poll(() => client.events.length).toBe(4);
      chain.change({ removed: 1 });
      await expect.poll(() => client.events.length).toBe(7);
      chain.mark({ checkpointed: first });
      await expect.poll(() => client.events.length).toBe(8);
      const notification = description.methods.find(({ name }) => name === "svc_subscribe")!["x-notification"]!;
      for (const event of client.events)
        expect(described.violations(event, notification.params, event.event.type)).toEqual([]);
      const shown = client.events.map(({ subscription: id, event: { type } }) => `${id} ${type}`);
      expect(shown).toEqual([
        "tips tips",
        "blocks:transactions block",
        "blocks:transactions block",
        "tips tips",
        "blocks:transactions reorg",
        "tips reorg",
        "tips tips",
        "tips tips",
      ]);
      const removed = client.events.find(({ event }) => event.type === "reorg")!.event;
      expect(removed).toMatchObject({
        ancestor: { number: first },
        old: { number: first + 1 },
        new: { number: first },
      });
      expect(await client.call("svc_unsubscribe", subscription)).toBe(true);
      expect(await client.call("svc_unsubscribe", subscription)).toBe(false);
      const { cursor } = client.events[2];
      await client.leave();

      const again = await connect();
      await again.subscribe("blocks", { cursor });
      await expect.poll(() => again.events.length).toBe(1);
      expect(again.events[0].event).toMatchObject({ type: "reorg", ancestor: { number: first } });
    });

    test("a transaction's states come in their order", async () => {
      const hash = wordOf(0x07);
      const client = await connect();
      const asked = await client.subscribe("transaction", { txHash: toHex(hash) });
      expect(asked).toEqual({ subscription: `transaction:${toHex(hash)}` });
      await expect.poll(() => client.events.length).toBe(1);
      pool.statuses.set(toHex(hash), "pending");
      changed({ added: [hash] });
      await expect.poll(() => client.events.length).toBe(2);
      pool.statuses.delete(toHex(hash));
      changed({ removed: [hash] });
      await expect.poll(() => client.events.length).toBe(3);
      expect(client.events.map(({ event }) => event.status)).toEqual(["dropped", "pending", "dropped"]);
    });

    test("changes of the pending transactions are resumed from a cursor", async () => {
      const client = await connect();
      await client.subscribe("pendingTransactions");
      changed({ added: [wordOf(1), wordOf(2)] });
      changed({ removed: [wordOf(1)] });
      await expect.poll(() => client.events.length).toBe(2);
      expect(client.events[0].event).toEqual({
        type: "pendingTransactions",
        added: [1, 2].map((i) => toHex(wordOf(i))),
        removed: [],
      });
      const again = await connect();
      await again.subscribe("pendingTransactions", { cursor: client.events[0].cursor });
      await expect.poll(() => again.events).toEqual([client.events[1]]);
      const other = await connect();
      await expect(other.subscribe("pendingTransactions", { cursor: "b.1" })).rejects.toThrow("started again since");
    });

    test("wrong options and too many subscriptions are refused with the rule", async () => {
      const client = await connect();
      await expect(client.subscribe("tips", { tags: ["0x1"] })).rejects.toThrow("Not an option of 'tips' (1.tags)");
      await expect(client.subscribe("privateLogs")).rejects.toThrow("Required (1.tags)");
      await expect(client.subscribe("blocks", { cursor: "x" })).rejects.toThrow("cursor: not one of an event");
      await expect(client.subscribe("headers")).rejects.toThrow("Invalid enum value");
      await client.subscribe("tips");
      await expect(client.subscribe("tips")).rejects.toThrow("has the subscription tips already");
      const tags = [1, 2, 3, 4, 5, 6].map((i) => toHex(wordOf(i)));
      await expect(client.subscribe("privateLogs", { tags })).rejects.toThrow("at most 5 tags, contracts");
      await client.subscribe("privateLogs", { tags: tags.slice(0, 3) });
      await client.subscribe("blocks");
      await client.subscribe("pendingTransactions");
      await expect(client.subscribe("blocks", { includeTransactions: true })).rejects.toThrow(
        "at most 4 subscriptions",
      );
    });

    test("a client has a limited number of sockets", async () => {
      const own = await Promise.all(Array.from({ length: PER_CLIENT }, connect));
      await expect(connect()).rejects.toThrow("Unexpected server response: 503");
      await own[0].leave();
      await expect.poll(() => connections.total).toBe(PER_CLIENT - 1);
      await expect.poll(() => connect()).toBeInstanceOf(SocketClient);
    });

    test("pages of other origins are refused, and access that ends closes the connection", async () => {
      const of = (origin: string) => SocketClient.to(listener.port, { origin });
      await expect(of("https://b.example")).rejects.toThrow("Unexpected server response: 403");
      const client = await of("https://a.example");
      clients.push(client);
      expect(await client.call("node_getBlockNumber")).toBe(chain.latest);
      revoked = true;
      client.ws.send("{}");
      expect(await client.closed).toEqual({ code: 1008, reason: "the API key is not valid any more" });
      revoked = false;
    });

    test("binary and too long messages end the connection", async () => {
      const binary = await connect();
      binary.ws.send(Buffer.from("{}"), { binary: true });
      expect(await binary.closed).toEqual({ code: 1003, reason: "messages are text" });
      const long = await connect();
      long.ws.send("x".repeat(MAX_MESSAGE + 1));
      await long.closed;
      const healthy = await connect();
      expect(await healthy.call("node_getBlockNumber")).toBe(chain.latest);
    });

    test("thousands of calls at once are all answered in their order", async () => {
      const client = await connect();
      const count = 1_000;
      for (let id = 0; id < count; id++) client.ws.send(`{"jsonrpc":"2.0","id":${id},"method":"node_getBlockNumber"}`);
      await expect.poll(() => client.answers.length).toBe(count);
      expect(client.answers.map((answer) => (answer as { id: number }).id)).toEqual(
        Array.from({ length: count }, (_e, i) => i),
      );
    });
  });

  test("a client that does not read gets no more than its bound, hears why, and others are not held up", async () => {
    await start({ stallTimeoutMs: 0 });
    try {
      const slow = net.connect(listener.port, "127.0.0.1");
      slow.on("error", () => undefined);
      const head = "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
      slow.write(`${head}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`);
      await new Promise((resolve) => slow.once("data", resolve));
      slow.pause();
      const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "svc_subscribe", params: ["blocks"] });
      const mask = Buffer.alloc(4);
      slow.write(Buffer.concat([Buffer.from([0x81, 0x80 | call.length]), mask, Buffer.from(call)]));
      const reading = await connect();
      await reading.subscribe("blocks");
      await expect.poll(() => chain.listeners).toBe(1);
      const before = chain.latest;
      let most = 0;
      // Until more is sent than the system's buffers take, and its client dropped.
      for (let round = 0; sockets.open === 2; round++) {
        chain.change({ added: 100 });
        await expect.poll(() => reading.events.length).toBe(chain.latest - before);
        most = Math.max(most, budget.waiting);
        if (round === 300) throw new Error("the slow client was not dropped");
      }
      expect(most).toBeGreaterThan(0);
      expect(most).toBeLessThan(2 * MAX_BUFFERED);
      let tail = Buffer.alloc(0);
      slow.on("data", (chunk: Buffer) => {
        tail = Buffer.concat([tail, chunk]).subarray(-100);
      });
      slow.resume();
      await expect.poll(() => tail.toString("latin1")).toMatch(/the client (does not read|is too slow)/);
      expect(reading.ws.readyState).toBe(reading.ws.OPEN);
      slow.destroy();
      await reading.leave();
    } finally {
      await listener.close(0);
    }
  }, 120_000);

  test("a closing listener ends its sockets with a reason", async () => {
    await start();
    const client = await connect();
    await client.subscribe("tips");
    const closing = listener.close(1_000);
    expect(await client.closed).toEqual({ code: 1001, reason: "the node is stopping" });
    await closing;
    expect(chain.listeners).toBe(0);
  });

  test("calls over a socket count for the rate limit", async () => {
    await start({ perSecond: 1 });
    const client = await connect();
    for (let id = 0; id < 3; id++) client.ws.send(`{"jsonrpc":"2.0","id":${id},"method":"node_getBlockNumber"}`);
    await expect.poll(() => client.answers.length).toBe(3);
    expect(client.answers[2]).toMatchObject({ error: { code: -32005 } });
    await client.leave();
    await listener.close(0);
  });

  test("a client that sends pings and reads nothing is closed, with a reason, a count and a line of the log", async () => {
    await start();
    const PINGS = 20_000;
    const ping = Buffer.concat([frameHead(0x89, 125), Buffer.alloc(125, "x")]);
    const flood = await rawSocket(listener.port);
    const waited = once(flood, "close").catch(() => undefined);
    flood.write(Buffer.concat(Array.from({ length: PINGS }, () => ping)));
    await expect.poll(cutSockets).toEqual({ control_frames: 1 });
    expect(budget.waiting).toBeLessThan(MAX_BUFFERED);
    await expect.poll(() => sockets.open).toBe(0);
    const facts = { cause: "control_frames", client: "127.0.0.1", reason: "too many pings and pongs" };
    expect(logger.entries).toEqual([{ level: "warn", facts, message: "closed the connection of a WebSocket client" }]);
    flood.destroy();
    await waited;
    const few = await rawSocket(listener.port);
    few.write(Buffer.concat(Array.from({ length: 140 }, () => frameHead(0x89, 0))));
    expect(await readClose(few)).toEqual({ code: 1008, reason: "too many pings and pongs" });
    await listener.close(0);
  });

  test("pings are answered and count for the rate limit", async () => {
    await start({ perSecond: 2 });
    const client = await connect();
    const pongs: string[] = [];
    client.ws.on("pong", (data) => pongs.push(data.toString()));
    for (const text of ["a", "b", "c"]) client.ws.ping(text);
    await expect.poll(() => pongs).toEqual(["a", "b", "c"]);
    client.ws.ping();
    client.ws.ping();
    expect(await client.closed).toMatchObject({ code: 1008 });
    await listener.close(0);
  });

  test("a message that is not completed in time ends its connection", async () => {
    await start({ messageTimeoutMs: 50 });
    const half = await rawSocket(listener.port);
    half.write(Buffer.concat([frameHead(0x81, 60_000), Buffer.alloc(30_000, " ")]));
    expect(await readClose(half)).toEqual({
      code: 1008,
      reason: "a message, or the answer to a ping, was not completed in time",
    });
    expect(cutSockets()).toEqual({ unfinished: 1 });
    await listener.close(0);
  });

  test.runIf(adapter === "node:http")("an unmasked frame ends the connection", async () => {
    await start();
    const raw = await rawSocket(listener.port);
    raw.write(Buffer.from([0x81, 0x02, ...Buffer.from("{}")]));
    expect(await readClose(raw)).toMatchObject({ code: 1002 });
    await listener.close(0);
  });

  test.runIf(adapter === "node:http")("unfinished messages share a bound, and give it back", async () => {
    await start({ maxUnfinished: 100_000 });
    const part = Buffer.concat([frameHead(0x01, 40_000), Buffer.alloc(40_000, " "), frameHead(0x80, 20_000)]);
    const first = await rawSocket(listener.port);
    first.write(part);
    await expect.poll(() => unfinished.waiting).toBeGreaterThanOrEqual(40_000);
    const second = await rawSocket(listener.port);
    second.write(Buffer.concat([part, Buffer.alloc(19_999, " ")]));
    await expect.poll(() => unfinished.waiting).toBeGreaterThan(90_000);
    const third = await rawSocket(listener.port);
    third.write(part);
    expect(await readClose(third)).toMatchObject({
      code: 1013,
      reason: "the node is busy: too many messages are under way",
    });
    expect(cutSockets()).toEqual({ unfinished: 1 });
    const client = await connect();
    expect(await client.call("node_getBlockNumber")).toBe(chain.latest);
    for (const raw of [first, second]) raw.destroy();
    await client.leave();
    await expect.poll(() => unfinished.waiting).toBe(0);
    await listener.close(0);
  });

  test.runIf(adapter === "uWebSockets.js")(
    "few sockets at once may send long messages, whether they do or not",
    async () => {
      const maxMessageBytes = 4 * MAX_MESSAGE;
      await start({ maxMessageBytes, maxUnfinished: 2 * maxMessageBytes });
      const long = (text: string) => text.padEnd(MAX_MESSAGE + 1);
      const call = long(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "node_getBlockNumber" }));
      const first = await connect();
      const second = await connect();
      first.ws.send(call);
      await expect.poll(() => first.answers).toEqual([{ jsonrpc: "2.0", id: 1, result: chain.latest }]);
      expect(await second.call("node_getBlockNumber")).toBe(chain.latest);
      second.ws.send(call);
      await second.closed;
      await expect.poll(cutSockets).toEqual({ too_long: 1 });
      expect(unfinished.waiting).toBe(maxMessageBytes);
      await first.leave();
      await expect.poll(() => unfinished.waiting).toBe(0);
      const third = await connect();
      third.ws.send(call);
      await expect.poll(() => third.answers.length).toBe(1);
      await third.leave();
      await listener.close(0);
    },
  );
});
