import { EventEmitter, once } from "node:events";
import { readFileSync } from "node:fs";
import net from "node:net";
import {
  brotliCompressSync,
  constants,
  deflateSync,
  gunzipSync,
  gzipSync,
  inflateSync,
  zstdDecompressSync,
} from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { Dispatcher } from "../../../src/rpc/calls/dispatcher.ts";
import { array } from "../../../src/rpc/codecs/json/codec.ts";
import { encodeNumber, encodeText } from "../../../src/rpc/codecs/json/encoder.ts";
import { plainNumber } from "../../../src/rpc/codecs/json/number.ts";
import { method, param, Registry } from "../../../src/rpc/registry/registry.ts";
import { RpcApplication } from "../../../src/rpc/routes/rpc-application.ts";
import { versionHeaders } from "../../../src/rpc/routes/version-headers.ts";
import type { HttpApplication, Listener, ListenerOptions } from "../../../src/rpc/wire/listener.ts";
import { listenWithNode } from "../../../src/rpc/wire/node/listener.ts";
import { listenWithUws } from "../../../src/rpc/wire/uws/listener.ts";
import { recordingLogger } from "../../world/rpc/fakes.ts";

const MAX_BODY = 64 * 1024;
/** Times of the listener that cuts off clients; for the others a stalled machine is no reason. */
const IMPATIENT = { requestTimeoutMs: 1_500, stallTimeoutMs: 3_000 };
const PATIENT = { requestTimeoutMs: 120_000, stallTimeoutMs: 120_000 };
/** Whether the system has an open connection of a server's port to a client's, as the server sees it. */
function isEstablished(server: number, client: number | undefined): boolean {
  const ESTABLISHED = "01";
  return readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .some(([, local = "", remote = "", state]) => {
      const [own, other] = [local, remote].map((address) => Number.parseInt(address.split(":")[1], 16));
      return own === server && other === client && state === ESTABLISHED;
    });
}

const JSON_TYPE = { "content-type": "application/json" };

/** Calls of `watch`: the client's address and the abort signal. */
const watched: { client: string; signal: AbortSignal }[] = [];

/** Emits `later` when a call of that method has begun. */
const begun = new EventEmitter();

const registry = new Registry([
  method({
    name: "watch",
    params: [param("ms", plainNumber())],
    handleFrom: ({ caller }, ms) => {
      const call = { client: caller!.client(), signal: caller!.signal() };
      watched.push(call);
      return new Promise<number>((resolve) => {
        const timer = setTimeout(() => resolve(ms), ms);
        call.signal.addEventListener("abort", () => {
          clearTimeout(timer);
          resolve(0);
        });
      });
    },
    encode: { node: encodeNumber },
  }),
  method({ name: "one", params: [], handle: () => 1, encode: { node: encodeNumber } }),
  method({ name: "none", params: [], handle: (): undefined => undefined, encode: { node: encodeNumber } }),
  method({
    name: "sum",
    params: [param("terms", array(plainNumber()))],
    handle: (terms) => terms.reduce((sum, term) => sum + term, 0),
    encode: { node: encodeNumber },
  }),
  method({
    name: "text",
    params: [param("length", plainNumber())],
    handle: (length) => "x".repeat(length),
    encode: { node: encodeText },
  }),
  method({
    name: "quickly",
    params: [param("length", plainNumber())],
    handle: (length) => "x".repeat(length),
    encode: { node: encodeText },
    raw: {
      node: (body, from, to, out) => {
        const [length] = JSON.parse(Buffer.from(body.subarray(from, to)).toString("latin1"));
        out.value("x".repeat(length));
        return true;
      },
    },
  }),
  method({
    name: "later",
    params: [param("ms", plainNumber())],
    handle: (ms) => {
      begun.emit("later");
      return new Promise<number>((resolve) => setTimeout(() => resolve(ms), ms).unref());
    },
    encode: { node: encodeNumber },
  }),
  method({
    name: "fail",
    params: [],
    handle: (): number => {
      throw new Error("out of luck");
    },
    encode: { node: encodeNumber },
  }),
]);

const request = (name: string, params: unknown[] = [], id: unknown = 1) =>
  JSON.stringify({ jsonrpc: "2.0", id, method: `node_${name}`, params });
const result = (value: unknown, id: unknown = 1) => ({ jsonrpc: "2.0", id, result: value });

const adapters: [string, (application: HttpApplication, options: ListenerOptions) => Promise<Listener>][] = [
  ["uWebSockets.js", listenWithUws],
  ["node:http", listenWithNode],
];

describe.each(adapters)("HTTP on %s", (name, listenWith) => {
  const log = recordingLogger();
  const dispatcher = new Dispatcher(registry, { maxBatchSize: 100, namespaces: ["node"] }, log);
  let healthy: () => boolean = () => true;
  const versions = versionHeaders({
    l1ChainId: 31337,
    l1RollupAddress: "0xABcd",
    rollupVersion: 5,
    generation: V4,
  });
  const application = new RpcApplication(
    dispatcher,
    { maxBodyBytes: MAX_BODY, versionHeaders: versions, healthy: () => healthy() },
    log,
  );
  const options = { host: "127.0.0.1", port: 0, ...PATIENT };
  let listener: Listener;
  let impatient: Listener;
  /** Waits long for requests, which a busy machine may read late, and not for clients that read nothing. */
  let stalling: Listener;
  let url: string;

  beforeAll(async () => {
    listener = await listenWith(application, options);
    impatient = await listenWith(application, { ...options, ...IMPATIENT });
    stalling = await listenWith(application, { ...options, stallTimeoutMs: IMPATIENT.stallTimeoutMs });
    url = `http://127.0.0.1:${listener.port}`;
  });
  afterAll(async () => {
    await Promise.all([listener.close(), impatient.close(), stalling.close()]);
  });

  const post = (body: string | Uint8Array<ArrayBuffer> | undefined, headers: Record<string, string> = {}) =>
    fetch(`${url}/`, { method: "POST", headers: { ...JSON_TYPE, ...headers }, body });

  test("the listener names its adapter and binds a port that nobody else can bind", async () => {
    expect(listener.adapter).toBe(name);
    expect(listener.port).toBeGreaterThan(0);
    await expect(listenWith(application, { ...options, port: listener.port })).rejects.toThrow(
      "the port is in use (EADDRINUSE)",
    );
    await expect(listenWith(application, { ...options, port: 0, host: "192.0.2.1" })).rejects.toThrow(
      "cannot listen on 192.0.2.1 port 0: no interface of this machine has the address (EADDRNOTAVAIL)",
    );
  });

  describe("routes", () => {
    test.each<[string, string, number, string, string | null]>([
      ["GET", "/status", 200, "OK", null],
      ["HEAD", "/status", 200, "", null],
      ["GET", "/status?verbose=1", 200, "OK", null],
      ["POST", "/status", 405, "Method Not Allowed", "HEAD, GET"],
      ["GET", "/", 405, "Method Not Allowed", "POST"],
      ["PUT", "/", 405, "Method Not Allowed", "POST"],
      ["OPTIONS", "/", 200, "", "POST"],
      ["GET", "/elsewhere", 404, "Not Found", null],
      ["POST", "/elsewhere", 404, "Not Found", null],
    ])("%s %s is answered with %i", async (verb, path, status, text, allow) => {
      const response = await fetch(url + path, { method: verb });
      expect([response.status, await response.text(), response.headers.get("allow")]).toEqual([status, text, allow]);
      expect(response.headers.get("x-aztec-l1RollupAddress")).toBe("0xabcd");
      expect(response.headers.get("vary")).toBe("Accept-Encoding, Origin");
      expect(response.headers.get("access-control-allow-origin")).toBe(verb === "OPTIONS" ? null : "*");
      if (text !== "") expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    });

    test("/status of an unhealthy node is 500", async () => {
      for (const check of [() => false, () => fail()]) {
        healthy = check;
        const response = await fetch(`${url}/status`);
        expect([response.status, await response.text()]).toEqual([500, "Internal Server Error"]);
      }
      healthy = () => true;
    });

    test("a CORS preflight is answered with the headers it asks for", async () => {
      const raw = await rawExchange(
        listener.port,
        "OPTIONS / HTTP/1.1\r\nHost: a\r\nOrigin: https://app\r\nAccess-Control-Request-Method: POST\r\n" +
          "Access-Control-Request-Headers: content-type,x-api-key\r\nConnection: close\r\n\r\n",
      );
      expect(raw).toMatch(/^HTTP\/1\.1 204 /);
      expect(raw).toMatch(/access-control-allow-methods: GET,HEAD,PUT,POST,DELETE,PATCH\r\n/i);
      expect(raw).toMatch(/access-control-allow-headers: content-type,x-api-key\r\n/i);
      expect(raw).toMatch(/access-control-allow-origin: \*\r\n/i);
    });
  });

  describe("requests", () => {
    test("a call is answered with its id and all headers", async () => {
      const response = await post(request("one", [], "a"));
      expect([response.status, await response.json()]).toEqual([200, result(1, "a")]);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "content-type": "application/json; charset=utf-8",
        vary: "Accept-Encoding, Origin",
        "access-control-allow-origin": "*",
        "x-aztec-l1chainid": "31337",
        "x-aztec-rollupversion": "5",
        "x-aztec-packageversion": "4.3.1",
        "x-aztec-l2circuitsvktreeroot": "0x1dd2644a17d1ddd8831287a78c5a1033b7ae35cdf2a3db833608856c062fc2ba",
      });
    });

    test("Connection: close closes the connection only after the whole answer", async () => {
      const large = [10, 5_000, 10_000, 20_000, 500_000];
      // For some lengths the write path is chosen by timing, so each length is tried several times.
      const calls = [...large, ...large, ...large, ...large].flatMap((length) => [
        { body: request("quickly", [length]), text: "x".repeat(length) },
        { body: request("text", [length]), text: "x".repeat(length) },
      ]);
      for (const { body, text } of [...calls, { body: request("later", [30]), text: 30 }]) {
        const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nConnection: close\r\n`;
        const raw = await rawExchange(listener.port, `${head}Content-Length: ${body.length}\r\n\r\n${body}`);
        expect(JSON.parse(raw.slice(raw.indexOf("\r\n\r\n") + 4))).toEqual(result(text));
      }
    });

    test("an error is HTTP 400 for a single call, and one entry in the answer of a batch", async () => {
      const missing = { code: -32601, message: "Method not found: node_two" };
      const alone = await post(request("two"));
      expect([alone.status, await alone.json()]).toEqual([400, { jsonrpc: "2.0", id: 1, error: missing }]);
      const batch = await post(`[${request("later", [30])},${request("two")},null,${request("one", [], 3)}]`);
      expect([batch.status, await batch.json()]).toEqual([
        200,
        [
          result(30),
          { jsonrpc: "2.0", id: 1, error: missing },
          { jsonrpc: "2.0", error: { code: -32600, message: "Invalid Request" }, id: null },
          result(1, 3),
        ],
      ]);
    });

    test("a handler that throws gives an error answer with the id of a logged error, and not its text", async () => {
      log.entries.length = 0;
      const response = await post(request("fail"));
      const answer = await response.json();
      const facts = {
        method: "node_fail",
        errorId: expect.stringMatching(/^[0-9a-f]{8}$/),
        err: { message: "out of luck" },
      };
      expect(log.entries).toMatchObject([{ level: "error", facts }]);
      const message = `Internal error ${(log.entries[0].facts as { errorId: string }).errorId}`;
      expect([response.status, answer]).toEqual([400, { jsonrpc: "2.0", id: 1, error: { code: -32702, message } }]);
    });

    test.each([
      "application/json; charset=utf-8",
      "Application/JSON",
      "application/vnd.api+json",
      "application/json-patch+json",
      "application/csp-report",
      "application/scim+json",
    ])("content type %s is read as JSON", async (type) => {
      expect(await (await post(request("one"), { "content-type": type })).json()).toEqual(result(1));
    });

    test.each<[string, string | undefined, Record<string, string>]>([
      ["an empty body", "", {}],
      ["no body", undefined, {}],
      ["an empty object", "{}", {}],
    ])("%s counts as an empty request", async (_what, body, headers) => {
      const response = await post(body, headers);
      const invalid = { jsonrpc: "2.0", error: { code: -32600, message: "Invalid request" } };
      expect([response.status, await response.json()]).toEqual([400, invalid]);
    });

    test.each(["text/plain", "application/x-www-form-urlencoded", ""])(
      "a body of type '%s' is not read",
      async (type) => {
        const response = await post(new TextEncoder().encode(request("one")), { "content-type": type });
        const error = { code: -32600, message: "Invalid request: the header Content-Type must be application/json" };
        expect([response.status, await response.json()]).toEqual([400, { jsonrpc: "2.0", id: null, error }]);
      },
    );

    test.each<[string, string | Uint8Array<ArrayBuffer>]>([
      ["truncated JSON", '{"jsonrpc":"2.0",'],
      ["a bare string", '"node_one"'],
      ["a bare null", "null"],
      ["blanks", "   "],
      ["bytes that are no text", new Uint8Array([0x7b, 0xff, 0xfe, 0x00, 0x7d])],
      ["a hundred thousand open arrays", "[".repeat(MAX_BODY - 1)],
    ])("%s is a parse error", async (_what, body) => {
      const response = await post(body);
      const answer = (await response.json()) as { id: unknown; error: { code: number; message: string } };
      expect([response.status, answer.id, answer.error.code]).toEqual([400, null, -32700]);
      expect(answer.error.message).toMatch(/^Parse error: /);
      expect(response.headers.get("vary")).toBe("Accept-Encoding, Origin");
    });

    test("deep nesting anywhere in a request does not overflow the stack", async () => {
      const deep = "[".repeat(30_000) + "]".repeat(30_000);
      for (const body of [deep, `{"method":"node_sum","params":${deep}}`, `{"method":"node_one","id":${deep}}`]) {
        const response = await post(body);
        expect(response.status).toBeLessThan(500);
        await response.json();
      }
      const response = await post(request("sum", [[1e308, 1e308]]));
      expect(response.status).toBe(200);
      expect((await (await post('{"method":"node_sum","id":1,"params":[[1e999]]}')).text()).length).toBeGreaterThan(0);
    });

    test("invalid UTF-8 inside a string is read as replacement characters", async () => {
      const body = Buffer.concat([Buffer.from('{"method":"node_'), Buffer.from([0xff]), Buffer.from('","id":1}')]);
      const answer = (await (await post(new Uint8Array(body))).json()) as { error: { message: string } };
      expect(answer.error.message).toBe("Method not found: node_\ufffd");
    });
  });

  describe("limits", () => {
    const padded = (bytes: number) => request("one").padEnd(bytes, " ");

    test("a body of exactly the limit is accepted, one byte more gives 413", async () => {
      expect((await post(padded(MAX_BODY))).status).toBe(200);
      const response = await post(padded(MAX_BODY + 1));
      expect([response.status, await response.json()]).toEqual([
        413,
        { jsonrpc: "2.0", id: null, error: { code: -32600, message: "request entity too large" } },
      ]);
      expect(response.headers.get("vary")).toBe("Accept-Encoding");
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
    });

    test("a body far over the limit still gets a 413", async () => {
      expect((await post(padded(5_000_000))).status).toBe(413);
    });

    test("an endless upload is cut off", async () => {
      const sent = await endlessUpload(impatient.port);
      expect(sent).toBeLessThan(200e6);
    });

    test.each([
      ["gzip", gzipSync],
      ["deflate", deflateSync],
      ["br", (data: Uint8Array) => brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ] as const)("%s bodies are read, and the limit applies after decompression", async (encoding, compress) => {
      const headers = { "content-encoding": encoding };
      const compressed = (text: string) => new Uint8Array(compress(Buffer.from(text)));
      expect(await (await post(compressed(request("one")), headers)).json()).toEqual(result(1));
      expect((await post(compressed(padded(MAX_BODY)), headers)).status).toBe(200);
      expect((await post(compressed(padded(MAX_BODY + 1)), headers)).status).toBe(413);
      const bomb = compressed(" ".repeat(50e6));
      const before = process.memoryUsage().rss;
      expect((await post(bomb, headers)).status).toBe(413);
      expect(process.memoryUsage().rss - before).toBeLessThan(40e6);
      const corrupt = await post(new Uint8Array(Buffer.from("not compressed")), headers);
      expect([corrupt.status, ((await corrupt.json()) as { error: object }).error]).toEqual([
        400,
        { code: -32600, message: encoding === "br" ? "Decompression failed" : "incorrect header check" },
      ]);
    });

    test("an unknown Content-Encoding is refused", async () => {
      const response = await post(request("one"), { "content-encoding": "foo" });
      expect([response.status, await response.json()]).toEqual([
        400,
        { jsonrpc: "2.0", id: null, error: { code: -32600, message: "Unsupported Content-Encoding: foo" } },
      ]);
    });

    test("a batch has 1 to maxBatchSize calls", async () => {
      const batch = (size: number) => `[${Array.from({ length: size }, () => request("one")).join(",")}]`;
      const most = (await (await post(batch(100))).json()) as unknown[];
      expect(most).toHaveLength(100);
      for (const [size, message] of [
        [101, "Batch request exceeds maximum allowed size of 100"],
        [0, "Invalid Request"],
      ] as const) {
        const response = await post(batch(size));
        expect(response.status).toBe(400);
        expect(await response.json()).toEqual({ jsonrpc: "2.0", error: { code: -32600, message }, id: null });
      }
    });
  });

  describe("compression of answers", () => {
    const zstd = typeof zstdDecompressSync === "function";

    test.each<[string, string | null]>([
      ["gzip, deflate, br, zstd", zstd ? "zstd" : "gzip"],
      ["gzip, deflate", "gzip"],
      ["deflate, gzip;q=0.1", "gzip"],
      ["gzip;q=0, deflate", "deflate"],
      ["br", null],
      ["*", "gzip"],
      ["identity", null],
    ])("Accept-Encoding %s gives Content-Encoding %s", async (accepted, encoding) => {
      for (const length of [2_000, 100_000]) {
        const raw = await rawPost(listener.port, request("text", [length]), { "Accept-Encoding": accepted });
        expect(raw.header("content-encoding")).toBe(encoding);
        const decode = { zstd: zstdDecompressSync, gzip: gunzipSync, deflate: inflateSync };
        const body = encoding === null ? raw.body : decode[encoding as keyof typeof decode](raw.body);
        expect(JSON.parse(body.toString())).toEqual(result("x".repeat(length)));
      }
    });

    test("short answers are not compressed", async () => {
      const raw = await rawPost(listener.port, request("text", [900]), { "Accept-Encoding": "gzip" });
      expect(raw.header("content-encoding")).toBeNull();
    });
  });

  describe("clients", () => {
    test("a keep-alive connection carries many calls", async () => {
      const body = request("one");
      const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
      const call = `${head}\r\n\r\n${body}`;
      const raw = await rawExchange(listener.port, call.repeat(3), (text) => text.split('"result":1').length === 4);
      expect(raw.match(/HTTP\/1\.1 200/g)).toHaveLength(3);
    });

    test("a method gets the client's address, and its signal aborts when the client leaves early", async () => {
      watched.length = 0;
      const call = (body: string, pieces = 1) => {
        const socket = net.connect({ port: listener.port, host: "127.0.0.1", localAddress: "127.0.0.9" });
        socket.on("error", () => undefined);
        const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
        if (pieces === 1) socket.write(`${head}${body}`);
        else {
          socket.write(`${head}${body.slice(0, 5)}`);
          setTimeout(() => socket.write(body.slice(5)), 20);
        }
        return socket;
      };
      const inOne = call(request("watch", [60_000]));
      const inPieces = call(request("watch", [60_000]), 2);
      const batch = call(`[${request("watch", [60_000])},${request("watch", [60_000])}]`);
      await expect.poll(() => watched.length).toBe(4);
      expect(new Set(watched.map(({ client }) => client))).toEqual(new Set(["127.0.0.9"]));
      expect(watched.map(({ signal }) => signal.aborted)).toEqual([false, false, false, false]);
      for (const socket of [inOne, inPieces, batch]) socket.destroy();
      await expect.poll(() => watched.every(({ signal }) => signal.aborted)).toBe(true);

      watched.length = 0;
      const answered = call(request("watch", [1]));
      await new Promise((resolve) => answered.once("data", resolve));
      answered.destroy();
      expect(await (await post(request("one"))).json()).toEqual(result(1));
      expect(watched.map(({ signal }) => signal.aborted)).toEqual([false]);
    });

    test("a request head that arrives in pieces is put together", async () => {
      const body = request("one");
      const pieces = ["POST / HTTP/1.1\r\nHo", "st: a\r\nContent-Type: application/js", "on\r\nContent-Length: "];
      const socket = net.connect(listener.port, "127.0.0.1");
      for (const piece of [...pieces, `${body.length}\r\n\r\n${body.slice(0, 9)}`, body.slice(9)]) {
        socket.write(piece);
        await delay(20);
      }
      const [answer] = (await new Promise((resolve) => socket.once("data", (data) => resolve([data])))) as [Buffer];
      expect(answer.toString()).toContain('"result":1');
      socket.destroy();
    });

    test("an empty body after a head in pieces counts as an empty request", async () => {
      const socket = net.connect(listener.port, "127.0.0.1");
      socket.write("POST / HTTP/1.1\r\nHo");
      await delay(20);
      socket.write("st: a\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n");
      const [answer] = (await new Promise((resolve) => socket.once("data", (data) => resolve([data])))) as [Buffer];
      expect(answer.toString()).toContain("400 Bad Request");
      socket.destroy();
    });

    test("a chunked body is read", async () => {
      const body = request("one");
      const raw = await rawExchange(
        listener.port,
        `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n` +
          `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
        (text) => text.includes('"result":1'),
      );
      expect(raw).toMatch(/^HTTP\/1\.1 200/);
    });

    test("a client that leaves within its body, or before its answer, does not disturb others", async () => {
      for (let i = 0; i < 20; i++) {
        const socket = net.connect(listener.port, "127.0.0.1");
        const body = request("later", [20]);
        socket.write(
          `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
        );
        socket.write(i % 2 === 0 ? body.slice(0, 10) : body);
        await delay(5);
        socket.destroy();
      }
      await delay(50);
      expect((await post(request("one"))).status).toBe(200);
    });

    test.concurrent("a client that sends one byte of body a second is cut off at the timeout", async () => {
      const raw = await drip(
        impatient.port,
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n",
      );
      expect(raw).toMatch(/^HTTP\/1\.1 408 /);
    });

    test.concurrent("a client that sends one byte of head a second is cut off", async () => {
      await drip(impatient.port, "POST / HTTP/1.1\r\nHost: a\r\nX-Slow: ");
    });

    test.concurrent("a client that does not read its answer is cut off, one that reads slowly is served", async ({
      expect,
    }) => {
      const length = 30_000_000;
      const body = request("text", [length]);
      const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
      const stuck = net.connect(stalling.port, "127.0.0.1");
      stuck.on("error", () => undefined);
      stuck.write(head + body);
      stuck.pause();
      const slow = net.connect(stalling.port, "127.0.0.1");
      slow.write(head + body);
      let taken = 0;
      for await (const chunk of slow) {
        taken += (chunk as Buffer).length;
        if (taken >= length) break;
      }
      expect(taken).toBeGreaterThanOrEqual(length);
      await expect.poll(() => isEstablished(stalling.port, stuck.localPort)).toBe(false);
      let left = 0;
      stuck.on("data", (chunk: Buffer) => {
        left += chunk.length;
      });
      stuck.resume();
      await new Promise((resolve) => stuck.once("close", resolve));
      expect(left).toBeLessThan(length);
    });
  });

  test("closing waits for requests in flight and accepts no new ones", async () => {
    const closing = await listenWith(application, options);
    const taken = once(begun, "later");
    const pending = fetch(`http://127.0.0.1:${closing.port}/`, {
      method: "POST",
      headers: JSON_TYPE,
      body: request("later", [200]),
    });
    await taken;
    const closed = closing.close();
    expect(await (await pending).json()).toEqual(result(200));
    await closed;
    await expect(fetch(`http://127.0.0.1:${closing.port}/status`)).rejects.toThrow();
  });

  test("closing sends long answers whole and logs nothing", async () => {
    const closing = await listenWith(application, options);
    const logged = log.entries.length;
    const taken = once(begun, "later");
    const [later, text] = [request("later", [50]), request("text", [200_000])];
    const pending = fetch(`http://127.0.0.1:${closing.port}/`, {
      method: "POST",
      headers: { ...JSON_TYPE, "accept-encoding": "identity" },
      body: `[${later},${text}]`,
    });
    await taken;
    const closed = closing.close();
    expect(await (await pending).json()).toEqual([result(50), result("x".repeat(200_000))]);
    await closed;
    expect(log.entries.slice(logged)).toEqual([]);
  });

  test("closing cuts off requests in flight after its timeout", async () => {
    const closing = await listenWith(application, options);
    const taken = once(begun, "later");
    const pending = fetch(`http://127.0.0.1:${closing.port}/`, {
      method: "POST",
      headers: JSON_TYPE,
      body: request("later", [3_600_000]),
    }).catch(() => "cut off");
    await taken;
    await closing.close(100);
    expect(await pending).toBe("cut off");
  });
});

function fail(): never {
  throw new Error("the check itself failed");
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Sends bytes and collects the answer until the server closes or `complete` holds. */
function rawExchange(port: number, text: string, complete: (text: string) => boolean = () => false): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, "127.0.0.1", () => socket.write(text));
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      if (complete(received)) socket.destroy();
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(received));
  });
}

/** A POST whose answer is not decoded by the client. */
async function rawPost(port: number, body: string, headers: Record<string, string>) {
  const lines = Object.entries({ ...JSON_TYPE, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const raw = await rawExchange(
    port,
    `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n${lines.join("")}\r\n${body}`,
    (text) => {
      const end = text.indexOf("\r\n\r\n");
      const length = /content-length: (\d+)/i.exec(text);
      return end >= 0 && length !== null && text.length >= end + 4 + Number(length[1]);
    },
  );
  const end = raw.indexOf("\r\n\r\n");
  return {
    header: (name: string) => new RegExp(`^${name}: (.*)\r$`, "im").exec(raw.slice(0, end + 2))?.[1] ?? null,
    body: Buffer.from(raw.slice(end + 4), "latin1"),
  };
}

/** Sends a head, then a byte a second, until the server closes. */
function drip(port: number, head: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1", () => socket.write(head));
    const timer = setInterval(() => socket.write("a"), 1_000);
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearInterval(timer);
      resolve(received);
    });
  });
}

/** Uploads until the server closes the connection. Returns the bytes handed to the kernel. */
function endlessUpload(port: number): Promise<number> {
  return new Promise((resolve) => {
    const chunk = Buffer.alloc(64 * 1024, 0x20);
    const head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 4000000000\r\n\r\n";
    const socket = net.connect(port, "127.0.0.1", () => {
      socket.write(head);
      const write = () => {
        while (!socket.destroyed && socket.write(chunk));
      };
      socket.on("drain", write);
      write();
    });
    socket.on("data", () => undefined);
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(socket.bytesWritten));
  });
}
