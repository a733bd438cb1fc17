import net from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { Dispatcher } from "../../../src/rpc/calls/dispatcher.ts";
import { encodeNumber } from "../../../src/rpc/codecs/json/encoder.ts";
import { TurnShare } from "../../../src/rpc/limits/turn-share.ts";
import { method, Registry } from "../../../src/rpc/registry/registry.ts";
import { RpcApplication } from "../../../src/rpc/routes/rpc-application.ts";
import type { HttpApplication, Listener, ListenerOptions } from "../../../src/rpc/wire/listener.ts";
import { listenWithNode } from "../../../src/rpc/wire/node/listener.ts";
import { listenWithUws } from "../../../src/rpc/wire/uws/listener.ts";
import { Connection } from "../../world/rpc/connection.ts";
import { recordingLogger } from "../../world/rpc/fakes.ts";

const HOST = "127.0.0.1";
/** Calls handled in one event loop turn: 8 requests, plus 1 ms of further ones and 1 ms of waiting ones, and slack. */
const MAX_IN_TURN = 20;

let inTurn = 0;
let maxInTurn = 0;
/** Blocks the thread for about one turn's slice. */
function work(): number {
  inTurn += 1;
  maxInTurn = Math.max(maxInTurn, inTurn);
  const end = performance.now() + 0.5;
  while (performance.now() < end);
  return 1;
}

const registry = new Registry([
  method({ name: "work", params: [], handle: work, encode: { node: encodeNumber } }),
  method({
    name: "scanned",
    params: [],
    handle: work,
    encode: { node: encodeNumber },
    raw: {
      node: (_body, _from, _to, out) => {
        out.number(work());
        return true;
      },
    },
  }),
]);

const call = (name: string) => `{"jsonrpc":"2.0","id":1,"method":"node_${name}","params":[]}`;
function request(name: string, type = "application/json"): string {
  const body = call(name);
  return `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}
const compressed = (name: string) => request(name).replace("Host: a", "Host: a\r\nContent-Encoding: identity");

const adapters: [string, (application: HttpApplication, options: ListenerOptions) => Promise<Listener>][] = [
  ["uWebSockets.js", listenWithUws],
  ["node:http", listenWithNode],
];

describe.each(adapters)("requests in one turn on %s", (_name, listenWith) => {
  let listener: Listener;
  let counting = true;
  afterEach(async () => {
    counting = false;
    await listener.close(0);
  });

  async function start(): Promise<void> {
    const log = recordingLogger();
    const application = new RpcApplication(
      new Dispatcher(registry, { maxBatchSize: 100, namespaces: ["node"] }, log),
      { maxBodyBytes: 65_536, versionHeaders: [], healthy: () => true },
      log,
    );
    listener = await listenWith(application, { host: HOST, port: 0, requestTimeoutMs: 5_000, stallTimeoutMs: 5_000 });
    maxInTurn = 0;
    counting = true;
    const turn = (): void => {
      inTurn = 0;
      if (counting) setImmediate(turn);
    };
    turn();
  }

  test.each([
    ["of the usual form", request("scanned")],
    ["that have to be parsed", request("work")],
    ["of another form", compressed("work")],
  ])("a client that pipelines 30,000 requests %s gets few answers per turn and is cut off", async (_what, one) => {
    await start();
    const socket = net.connect(listener.port, HOST);
    socket.on("error", () => undefined);
    socket.on("data", () => undefined);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.write(one.repeat(30_000));
    await closed;
    expect(maxInTurn).toBeGreaterThan(0);
    expect(maxInTurn).toBeLessThanOrEqual(MAX_IN_TURN);
    const other = await Connection.to(listener.port);
    expect((await other.post(call("work"))).body).toMatchObject({ result: 1 });
    other.leave();
  });

  test.each(["GET /nowhere", "POST /", "OPTIONS /", "GET /"])(
    "a client that pipelines %s without end is cut off",
    async (line) => {
      await start();
      const socket = net.connect(listener.port, HOST);
      socket.on("error", () => undefined);
      let answers = 0;
      socket.on("data", (chunk: Buffer) => {
        answers += chunk.toString("latin1").split("HTTP/1.1 ").length - 1;
      });
      const closed = new Promise((resolve) => socket.once("close", resolve));
      socket.write(`${line} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(30_000));
      await closed;
      expect(answers).toBeLessThan(10_000);
    },
  );

  test("any number of clients with one request each are all answered", async () => {
    await start();
    const clients = await Promise.all(Array.from({ length: 100 }, () => Connection.to(listener.port)));
    for (const name of ["scanned", "work"]) {
      maxInTurn = 0;
      const answers = await Promise.all(clients.map((client) => client.post(call(name))));
      for (const { body } of answers) expect(body).toMatchObject({ result: 1 });
      expect(maxInTurn).toBeLessThanOrEqual(MAX_IN_TURN);
    }
    for (const client of clients) client.leave();
  });

  test("eight pipelined requests are answered in order", async () => {
    await start();
    const socket = net.connect(listener.port, HOST);
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
    });
    const numbered = (id: number) => request("scanned").replace('"id":1', `"id":${id}`);
    socket.write([1, 2, 3, 4, 5, 6, 7, 8].map(numbered).join(""));
    await expect.poll(() => received.match(/"result":1/g)?.length).toBe(8);
    expect([...received.matchAll(/"id":(\d)/g)].map(([, id]) => id).join("")).toBe("12345678");
    socket.destroy();
  });
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a turn's share is eight requests and then a millisecond, renewed each turn", async () => {
  let ms = 0;
  const share = new TurnShare(() => ms);
  for (let i = 0; i < 2; i++) {
    for (let taken = 0; taken < 100; taken++) expect(share.take()).toBe(true);
    ms += 1;
    expect(share.take()).toBe(false);
    await turn();
  }
});

test("waiting requests are answered in order, for a millisecond of each turn", async () => {
  let ms = 0;
  const share = new TurnShare(() => ms);
  const answered: number[] = [];
  for (let i = 0; i < 5; i++) {
    share.wait(() => {
      answered.push(i);
      ms += 0.5;
    });
  }
  await turn();
  expect(answered).toEqual([0, 1]);
  await turn();
  await turn();
  expect(answered).toEqual([0, 1, 2, 3, 4]);
});
