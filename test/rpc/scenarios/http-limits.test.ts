import net from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { Dispatcher } from "../../../src/rpc/calls/dispatcher.ts";
import { encodeNumber } from "../../../src/rpc/codecs/json/encoder.ts";
import { ClientLimit } from "../../../src/rpc/limits/client-limit.ts";
import { method, type Namespace, Registry } from "../../../src/rpc/registry/registry.ts";
import { RpcApplication } from "../../../src/rpc/routes/rpc-application.ts";
import type { HttpApplication, Listener, ListenerOptions } from "../../../src/rpc/wire/listener.ts";
import { listenWithNode } from "../../../src/rpc/wire/node/listener.ts";
import { listenWithUws } from "../../../src/rpc/wire/uws/listener.ts";
import { recordingLogger } from "../../world/rpc/fakes.ts";

const registry = new Registry([
  method({ name: "one", params: [], handle: () => 1, encode: { node: encodeNumber, svc: encodeNumber } }),
]);
const CALL = { jsonrpc: "2.0", id: 1, method: "node_one" };
const RESULT = { jsonrpc: "2.0", id: 1, result: 1 };
const HOST = "127.0.0.1";

const adapters: [string, (application: HttpApplication, options: ListenerOptions) => Promise<Listener>][] = [
  ["uWebSockets.js", listenWithUws],
  ["node:http", listenWithNode],
];

describe.each(adapters)("limits on %s", (_name, listenWith) => {
  let listener: Listener;
  afterEach(() => listener.close(0));

  async function start(limits: {
    maxConnections?: number;
    maxConnectionsPerClient?: number;
    rateLimit?: ClientLimit;
    namespaces?: Namespace[];
  }) {
    const log = recordingLogger();
    const { namespaces = ["svc", "node"], rateLimit, maxConnections, maxConnectionsPerClient } = limits;
    const application = new RpcApplication(
      new Dispatcher(registry, { maxBatchSize: 100, namespaces }, log),
      { maxBodyBytes: 65_536, versionHeaders: [], healthy: () => true, rateLimit },
      log,
    );
    const timeouts = { requestTimeoutMs: 1_500, stallTimeoutMs: 1_500 };
    listener = await listenWith(application, {
      host: HOST,
      port: 0,
      maxConnections,
      maxConnectionsPerClient,
      ...timeouts,
    });
  }
  const post = (body: unknown) =>
    fetch(`http://${HOST}:${listener.port}/`, {
      method: "POST",
      headers: { "content-type": "application/json", connection: "close" },
      body: JSON.stringify(body),
    });

  describe("connections", () => {
    test("a connection over the cap gets a 503 and is closed; the others go on, and free places are reused", async () => {
      await start({ maxConnections: 2 });
      const first = await Client.to(listener.port);
      const second = await Client.to(listener.port);
      expect(await first.call()).toContain('"result":1');

      const third = await Client.to(listener.port);
      const refusal = await third.call();
      expect(refusal).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
      expect(refusal).toMatch(/connection: close\r\n/i);
      expect(refusal).toMatch(/retry-after: 1\r\n/i);
      expect(JSON.parse(refusal.slice(refusal.indexOf("\r\n\r\n")))).toEqual({
        jsonrpc: "2.0",
        id: null,
        error: { code: -32005, message: "Too many connections" },
      });
      await third.closed;

      expect(await first.call()).toContain('"result":1');
      expect(await second.call()).toContain('"result":1');
      second.leave();
      await expect.poll(async () => (await post(CALL)).status).toBe(200);
    });

    test("a silent connection over the cap is closed too", async () => {
      await start({ maxConnections: 1 });
      const served = await Client.to(listener.port);
      expect(await served.call()).toContain('"result":1');
      await (await Client.to(listener.port)).closed;
    });

    test("a connection over the cap replaces the one that has been idle longest without a request", async () => {
      await start({ maxConnections: 3 });
      const longest = await Client.to(listener.port, "127.0.0.3");
      const silent = await Client.to(listener.port, "127.0.0.4");
      const served = await Client.to(listener.port);
      expect(await served.call()).toContain('"result":1');
      // Long enough to count as idle.
      await delay(1_100);
      expect(await served.call()).toContain('"result":1');
      const next = await Client.to(listener.port);
      expect(await next.call()).toContain('"result":1');
      await longest.closed;
      expect(await served.call()).toContain('"result":1');
      expect(await silent.call()).toContain('"result":1');
      for (const client of [silent, served, next]) client.leave();
    });

    test("idle connections kept open after an answer make room for a new one", async () => {
      await start({ maxConnections: 4 });
      const kept: Client[] = [];
      for (let i = 0; i < 4; i++) kept.push(await Client.to(listener.port, "127.0.0.3"));
      for (const client of kept) expect(await client.call()).toContain('"result":1');
      await delay(1_100);
      const next = await Client.to(listener.port);
      expect(await next.call()).toContain('"result":1');
      await Promise.race(kept.map(({ closed }) => closed));
      for (const client of [...kept, next]) client.leave();
    });

    test("a flood of connections does not disturb the one being served", async () => {
      await start({ maxConnections: 1 });
      const served = await Client.to(listener.port);
      expect(await served.call()).toContain('"result":1');
      const flood = await Promise.all(Array.from({ length: 200 }, () => Client.to(listener.port)));
      expect(await served.call()).toContain('"result":1');
      await Promise.all(flood.map(({ closed }) => closed));
      served.leave();
      await expect.poll(async () => (await post(CALL)).status).toBe(200);
    });

    test("one client address cannot take more than its share of the connections, and its places become free again", async () => {
      await start({ maxConnections: 100, maxConnectionsPerClient: 8 });
      const hostile = await Promise.all(Array.from({ length: 8 }, () => Client.to(listener.port, "127.0.0.2")));
      for (const client of hostile) expect(await client.call()).toContain('"result":1');
      // Waits for the read of the system's connection table, which starts once half of the share is open.
      await delay(2_000);
      const flood = await Promise.all(Array.from({ length: 60 }, () => Client.to(listener.port, "127.0.0.2")));
      for (let i = 0; i < 5; i++) {
        const honest = await Client.to(listener.port);
        expect(await honest.call()).toContain('"result":1');
        honest.leave();
      }
      const further = await Client.to(listener.port, "127.0.0.2");
      expect(await further.call()).toMatch(/^HTTP\/1\.1 503 /);
      await Promise.all(flood.map(({ closed }) => closed));
      for (const client of hostile) expect(await client.call()).toContain('"result":1');
      for (const client of hostile) client.leave();
      const again = async () => {
        const client = await Client.to(listener.port, "127.0.0.2");
        const answer = await client.call();
        client.leave();
        return answer;
      };
      await expect.poll(again).toContain('"result":1');
    });

    test.each([0, undefined])("a connection cap of %s means no limit", async (maxConnections) => {
      await start({ maxConnections });
      const clients = await Promise.all(Array.from({ length: 50 }, () => Client.to(listener.port)));
      const answers = await Promise.all(clients.map((client) => client.call()));
      for (const answer of answers) expect(answer).toContain('"result":1');
      for (const client of clients) client.leave();
    });
  });

  describe("rate", () => {
    test("calls over the rate limit get 429 until Retry-After has passed; /status is not counted", async () => {
      let ms = 0;
      await start({ rateLimit: new ClientLimit({ perSecond: 1, now: () => ms }) });
      for (let i = 0; i < 5; i++) expect((await fetch(`http://${HOST}:${listener.port}/status`)).status).toBe(200);
      expect((await post(CALL)).status).toBe(200);
      expect((await post(CALL)).status).toBe(200);
      const refusal = await post(CALL);
      expect([refusal.status, refusal.headers.get("retry-after"), await refusal.json()]).toEqual([
        429,
        "1",
        { jsonrpc: "2.0", id: null, error: { code: -32005, message: "Rate limit of 1 calls per second exceeded" } },
      ]);
      expect(refusal.headers.get("access-control-allow-origin")).toBe("*");
      expect((await fetch(`http://${HOST}:${listener.port}/status`)).status).toBe(200);
      ms += 1_000;
      expect((await post(CALL)).status).toBe(200);
      expect((await post(CALL)).status).toBe(429);
    });

    test("a batch counts as many calls as it has", async () => {
      let ms = 0;
      await start({ rateLimit: new ClientLimit({ perSecond: 2, now: () => ms }) });
      const batch = await post([CALL, CALL, CALL, CALL, CALL, CALL]);
      expect([batch.status, await batch.json()]).toEqual([200, [RESULT, RESULT, RESULT, RESULT, RESULT, RESULT]]);
      const refusal = await post([CALL, CALL]);
      // The budget was 4 calls and the batch took 6: 3 are missing until the next call.
      expect([refusal.status, refusal.headers.get("retry-after")]).toEqual([429, "2"]);
      ms += 2_000;
      expect((await post(CALL)).status).toBe(200);
    });

    test("the IPv4 loopback counts as one client, whatever form of address the adapter reports", async () => {
      const asked: string[] = [];
      const rateLimit = new ClientLimit({ perSecond: 1, now: () => 0 });
      const request = rateLimit.request.bind(rateLimit);
      rateLimit.request = (address) => {
        asked.push(address);
        return request(address);
      };
      await start({ rateLimit });
      await post(CALL);
      await post(CALL);
      expect(request("127.0.0.1")?.status).toBe(429);
      expect(asked).toHaveLength(2);
    });
  });

  test("a disabled namespace is missing from calls and from the API description", async () => {
    await start({ namespaces: ["svc"] });
    const off = await post(CALL);
    expect([off.status, await off.json()]).toMatchObject([400, { error: { code: -32601 } }]);
    expect(await (await post({ ...CALL, method: "svc_one" })).json()).toEqual(RESULT);
    const { result } = (await (await post({ ...CALL, method: "rpc.discover" })).json()) as {
      result: { methods: { name: string }[] };
    };
    const names = result.methods.map(({ name }) => name);
    expect(names).toContain("svc_one");
    expect(names).not.toContain("node_one");
  });
});

/** One connection that calls node_one and gives the raw text of each answer. */
class Client {
  readonly closed: Promise<void>;
  readonly #socket: net.Socket;
  #received = "";

  static async to(port: number, localAddress?: string): Promise<Client> {
    const socket = net.connect({ port, host: HOST, localAddress });
    const client = new Client(socket);
    await new Promise((resolve) => socket.once("connect", resolve));
    return client;
  }

  constructor(socket: net.Socket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once("close", () => resolve()));
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      this.#received += chunk.toString("latin1");
    });
  }

  async call(): Promise<string> {
    const body = JSON.stringify(CALL);
    const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    this.#socket.write(`${head}\r\n\r\n${body}`);
    await expect.poll(() => this.#received, { interval: 5 }).toMatch(/\r\n\r\n.*}$/s);
    const answer = this.#received;
    this.#received = "";
    return answer;
  }

  leave(): void {
    this.#socket.destroy();
  }
}
