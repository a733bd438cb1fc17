import net from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Dispatcher } from "../../../src/rpc/calls/dispatcher.ts";
import { encodeNumber } from "../../../src/rpc/codecs/json/encoder.ts";
import { method, Registry } from "../../../src/rpc/registry/registry.ts";
import { RpcApplication } from "../../../src/rpc/routes/rpc-application.ts";
import { listen } from "../../../src/rpc/server/listen.ts";
import type { HttpApplication, Listener, ListenerOptions } from "../../../src/rpc/wire/listener.ts";
import { listenWithNode } from "../../../src/rpc/wire/node/listener.ts";
import { listenWithUws } from "../../../src/rpc/wire/uws/listener.ts";
import { recordingLogger } from "../../world/rpc/fakes.ts";

let handled = 0;
const registry = new Registry([
  method({ name: "one", params: [], handle: () => ++handled, encode: { node: encodeNumber } }),
]);
const CALL = '{"jsonrpc":"2.0","id":1,"method":"node_one"}';
const CHUNKED = `${CALL.length.toString(16)}\r\n${CALL}\r\n0\r\n\r\n`;
const NEXT = `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${CALL.length}\r\n\r\n${CALL}`;

const adapters: [string, (application: HttpApplication, options: ListenerOptions) => Promise<Listener>][] = [
  ["uWebSockets.js", listenWithUws],
  ["node:http", listenWithNode],
];

describe.each(adapters)("request framing on %s", (name, listenWith) => {
  let listener: Listener;
  beforeAll(async () => {
    const log = recordingLogger();
    const application = new RpcApplication(
      new Dispatcher(registry, { maxBatchSize: 100, namespaces: ["node"] }, log),
      { maxBodyBytes: 65_536, versionHeaders: [], healthy: () => true },
      log,
    );
    const times = { requestTimeoutMs: 120_000, stallTimeoutMs: 120_000, keepAliveTimeoutMs: 75_000 };
    listener = await listenWith(application, { host: "127.0.0.1", port: 0, ...times });
  });
  afterAll(() => listener.close(0));

  /** Sends `text`; collects the answer until the server closes, or `isDone` says that it is whole. */
  const exchange = (text: string, isDone = (_received: string) => false) =>
    new Promise<{ received: string; closed: boolean }>((resolve) => {
      const socket = net.connect(listener.port, "127.0.0.1", () => socket.write(text));
      let received = "";
      socket.on("data", (chunk) => {
        received += chunk.toString("latin1");
        if (!isDone(received)) return;
        resolve({ received, closed: false });
        socket.destroy();
      });
      socket.on("error", () => undefined);
      socket.on("close", () => resolve({ received, closed: true }));
    });

  const L = CALL.length;
  test.each<[string, string[], string]>([
    ["two different Content-Lengths", [`Content-Length: ${L}`, `Content-Length: ${L + 5}`], CALL],
    [
      "two different Content-Lengths, the longer one first",
      [`Content-Length: ${L + NEXT.length}`, `Content-Length: ${L}`],
      CALL,
    ],
    ["two equal Content-Lengths", [`Content-Length: ${L}`, `content-length: ${L}`], CALL],
    ["a list of Content-Lengths", [`Content-Length: ${L}, ${L}`], CALL],
    ["a Content-Length with a sign", [`Content-Length: +${L}`], CALL],
    ["a Content-Length in hex", [`Content-Length: 0x${L.toString(16)}`], CALL],
    ["an unknown Transfer-Encoding", ["Transfer-Encoding: xchunked"], CHUNKED],
    ["Transfer-Encoding: identity", ["Transfer-Encoding: identity"], CHUNKED],
    ["a coding in front of chunked", ["Transfer-Encoding: gzip, chunked"], CHUNKED],
    ["a coding behind chunked", ["Transfer-Encoding: chunked, gzip"], CHUNKED],
    ["two Transfer-Encodings", ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], CHUNKED],
    ["Transfer-Encoding beside Content-Length", ["Transfer-Encoding: chunked", `Content-Length: ${L}`], CHUNKED],
  ])("%s gives HTTP 400 and a closed connection, and bytes behind it are not read", async (_what, headers, body) => {
    const before = handled;
    for (const type of ["application/json", "application/json; charset=utf-8", "text/plain"]) {
      const head = ["POST / HTTP/1.1", "Host: a", `Content-Type: ${type}`, ...headers, "", ""].join("\r\n");
      const alone = await exchange(head + body);
      expect(alone.received).toMatch(/^HTTP\/1\.1 400 /);
      expect(alone.closed).toBe(true);
      // uWebSockets.js closes without an answer when a request follows one that is about to be refused.
      const followed = await exchange(head + body + NEXT);
      expect(followed.received).toMatch(/^(HTTP\/1\.1 400 |$)/);
      expect(followed.received.split("HTTP/1.1 ").length).toBeLessThanOrEqual(2);
      expect(followed.closed).toBe(true);
    }
    expect(handled).toBe(before);
  });

  test.each<[string, string[], string]>([
    ["one Content-Length", [`Content-Length: ${L}`], CALL],
    ["Transfer-Encoding: chunked", ["Transfer-Encoding: chunked"], CHUNKED],
    ["Transfer-Encoding in capitals", ["Transfer-Encoding: CHUNKED"], CHUNKED],
  ])("a request with %s is answered, and so is the request behind it", async (_what, headers, body) => {
    const head = ["POST / HTTP/1.1", "Host: a", "Content-Type: application/json", ...headers, "", ""].join("\r\n");
    const results = (received: string) => received.match(/"result":\d/g) ?? [];
    const { received } = await exchange(head + body + NEXT, (received) => results(received).length === 2);
    expect(results(received)).toHaveLength(2);
  });

  /** Sends pieces, each in a segment of its own: the next one goes once the one before has been received. */
  const inSegments = (...pieces: string[]) =>
    new Promise<string>((resolve) => {
      const socket = net.connect({ port: listener.port, host: "127.0.0.1", noDelay: true }, async () => {
        for (const piece of pieces) {
          socket.write(piece);
          // Connections are served in turn, so this one's bytes were read before that one's answer.
          await exchange("GET /status HTTP/1.1\r\nHost: a\r\n\r\n", (text) => text.endsWith("OK"));
        }
      });
      let received = "";
      socket.on("data", (chunk) => {
        received += chunk.toString("latin1");
        if (!/\r\n\r\n/.test(received)) return;
        resolve(received);
        socket.destroy();
      });
      socket.on("error", () => undefined);
      socket.on("close", () => resolve(received));
    });

  const BODY = "Host: a\r\nContent-Type: application/json\r\n";
  const SIZE = CALL.length.toString(16);
  test.runIf(name === "node:http").each<[string, string[], RegExp]>([
    ["HTTP/1.0", ["GET /status HTTP/1.0\r\n\r\n"], /^HTTP\/1\.1 200 OK\r\n[\s\S]*Connection: close\r\n/],
    ["HAProxy's plain httpchk", ["OPTIONS / HTTP/1.0\r\n\r\n"], /^HTTP\/1\.1 200 OK\r\n[\s\S]*Connection: close\r\n/],
    [
      "a call in HTTP/1.0",
      [`POST / HTTP/1.0\r\n${BODY}Content-Length: ${L}\r\n\r\n${CALL}`],
      /^HTTP\/1\.1 200 [\s\S]*"result":\d/,
    ],
    ["a split method", ["GE", "T /status HTTP/1.1\r\nHost: a\r\n\r\n"], /^HTTP\/1\.1 200 /],
    ["a line split in front of the version", ["GET /status ", "HTTP/1.1\r\nHost: a\r\n\r\n"], /^HTTP\/1\.1 200 /],
    ["a split version", ["GET /status HTT", "P/1.1\r\nHost: a\r\n\r\n"], /^HTTP\/1\.1 200 /],
    [
      "a trailer",
      [`POST / HTTP/1.1\r\n${BODY}Transfer-Encoding: chunked\r\n\r\n${SIZE}\r\n${CALL}\r\n0\r\nX-A: 1\r\n\r\n`],
      /^HTTP\/1\.1 200 /,
    ],
    [
      "a chunk extension",
      [`POST / HTTP/1.1\r\n${BODY}Transfer-Encoding: chunked\r\n\r\n${SIZE};a=b\r\n${CALL}\r\n0\r\n\r\n`],
      /^HTTP\/1\.1 200 /,
    ],
    ["the absolute form", ["GET http://a/status HTTP/1.1\r\nHost: a\r\n\r\n"], /^HTTP\/1\.1 200 OK[\s\S]*\r\n\r\nOK$/],
    ["the absolute form of another path", ["GET http://a/x HTTP/1.1\r\nHost: a\r\n\r\n"], /^HTTP\/1\.1 404 /],
    ["OPTIONS *", ["OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"], /^HTTP\/1\.1 204 [\s\S]*Allow: GET, HEAD, POST, OPTIONS/],
    ["an empty line in front", ["\r\nGET /status HTTP/1.1\r\nHost: a\r\n\r\n"], /^HTTP\/1\.1 200 /],
  ])("%s is answered", async (_what, pieces, expected) => {
    const received = await inSegments(...pieces);
    expect(received).toMatch(expected);
    expect(received).not.toMatch(/<h1>|<html/);
  });

  test("an answer says for how long the connection is kept, and one that ends it does not", async () => {
    const get = (header: string) => `GET /status HTTP/1.1\r\nHost: a\r\n${header}\r\n`;
    const kept = await exchange(get(""), (text) => text.endsWith("OK"));
    expect(kept.received).toMatch(
      name === "node:http" ? /\r\nKeep-Alive: timeout=75\r\n/ : /\r\nKeep-Alive: timeout=8\r\n/,
    );
    const called = await exchange(NEXT, (text) => /"result":\d+}/.test(text));
    expect(called.received).toMatch(/\r\nKeep-Alive: timeout=\d+\r\n/);
    const { received, closed } = await exchange(get("Connection: close\r\n"));
    expect([closed, /Keep-Alive/.test(received)]).toEqual([true, false]);
  });
});

test("a longer keep-alive timeout than that of uWebSockets.js is served by node:http, and so is one who asks for it", async () => {
  const log = recordingLogger();
  const application = new RpcApplication(
    new Dispatcher(registry, { maxBatchSize: 100, namespaces: ["node"] }, log),
    { maxBodyBytes: 65_536, versionHeaders: [], healthy: () => true },
    log,
  );
  const options = { host: "127.0.0.1", port: 0, requestTimeoutMs: 120_000, stallTimeoutMs: 120_000 };
  const adapterOf = async (more: Partial<ListenerOptions>) => {
    const listener = await listen(application, { ...options, ...more }, log);
    await listener.close(0);
    return listener.adapter;
  };
  expect(await adapterOf({})).toBe("uWebSockets.js");
  expect(await adapterOf({ keepAliveTimeoutMs: 8_000 })).toBe("uWebSockets.js");
  expect(log.entries).toEqual([]);
  expect(await adapterOf({ keepAliveTimeoutMs: 75_000 })).toBe("node:http");
  expect(log.entries.map(({ level }) => level)).toEqual(["info"]);
  expect(await adapterOf({ adapter: "node" })).toBe("node:http");
});
