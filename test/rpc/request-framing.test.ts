import net from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeNumber } from "../../src/rpc/encoding/encoder.ts";
import type { HttpApplication, Listener, ListenerOptions } from "../../src/rpc/http/listener.ts";
import { listenWithNode } from "../../src/rpc/http/node-listener.ts";
import { RpcApplication } from "../../src/rpc/http/rpc-application.ts";
import { listenWithUws } from "../../src/rpc/http/uws-listener.ts";
import { Dispatcher } from "../../src/rpc/jsonrpc/dispatcher.ts";
import { method, Registry } from "../../src/rpc/registry.ts";
import { recordingLogger } from "./support/fakes.ts";

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

describe.each(adapters)("request framing on %s", (_name, listenWith) => {
  let listener: Listener;
  beforeAll(async () => {
    const log = recordingLogger();
    const application = new RpcApplication(
      new Dispatcher(registry, { maxBatchSize: 100, namespaces: ["node"] }, log),
      { maxBodyBytes: 65_536, versionHeaders: [], healthy: () => true },
      log,
    );
    const times = { requestTimeoutMs: 120_000, stallTimeoutMs: 120_000 };
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
});
