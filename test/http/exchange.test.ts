import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { Worker } from "node:worker_threads";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { HttpError } from "../../src/http/errors.ts";
import { openExchange, wholeExchange } from "../../src/http/exchange.ts";
import { deadUrl, drip, type FakeAnswer, type FakeRequest, type HttpFake, httpFake } from "../world/l1/http-fake.ts";

const open: HttpFake[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((fake) => fake.close()));
});

async function serve(answer: (request: FakeRequest) => FakeAnswer): Promise<HttpFake> {
  const server = await httpFake(answer);
  open.push(server);
  return server;
}

const limits = { totalMs: 60_000, maxBytes: 100_000 };
const hasty = { ...limits, totalMs: 200 };
const failure = async (work: Promise<unknown>): Promise<HttpError> => {
  const error = await work.then(
    () => undefined,
    (e: unknown) => e,
  );
  expect(error).toBeInstanceOf(HttpError);
  return error as HttpError;
};

test("the deadline ends an exchange whose answer drips", async () => {
  const { url } = await serve(() => drip(10));
  expect(await failure(wholeExchange({ url }, hasty))).toMatchObject({
    kind: "timeout",
    message: "no complete answer within 200 ms",
  });
});

test("the deadline is extended for received bytes by the slowest rate", async () => {
  const content = Buffer.alloc(40, 7);
  const { url } = await serve(() => drip(10, content));
  // 40 bytes at 10 ms each take 400 ms: more than 200 ms, less than 200 ms plus 200 ms for each byte.
  const { body } = await wholeExchange({ url }, { ...hasty, slowestRate: 1 / 200 });
  expect(body.equals(content)).toBe(true);
  expect((await failure(wholeExchange({ url }, hasty))).kind).toBe("timeout");
});

test("the deadline does not count the time that the reader takes", async () => {
  const { url } = await serve(() => ({ raw: Buffer.alloc(300_000, 1) }));
  const { body } = await openExchange({ url }, { ...limits, totalMs: 1_500 });
  let size = 0;
  for await (const piece of body) {
    if (size === 0) await new Promise((resolve) => setTimeout(resolve, 2_000));
    size += piece.length;
  }
  expect(size).toBe(300_000);
});

test("an aborted exchange ends, before its answer and within it", async () => {
  const silent = await serve(() => "silence");
  const dripping = await serve(() => drip(10));
  for (const { url } of [silent, dripping]) {
    const call = { url, signal: AbortSignal.timeout(50) };
    expect((await failure(wholeExchange(call, { ...limits, totalMs: 600_000 }))).kind).toBe("aborted");
  }
  const stopped = { url: silent.url, signal: AbortSignal.abort() };
  expect((await failure(wholeExchange(stopped, limits))).kind).toBe("aborted");
  expect(silent.seen.length).toBe(1);
});

test("the deadline ends an exchange whose connection is never made", async () => {
  // The system holds no more than two connections for a thread that accepts none; a further one gets no reply.
  const script = `const { createServer } = require("node:net");
    const { parentPort } = require("node:worker_threads");
    const server = createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
      parentPort.postMessage(server.address().port);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const deaf = new Worker(script, { eval: true });
  const [port] = await once(deaf, "message");
  const held = Array.from({ length: 2 }, () => connect(port, "127.0.0.1"));
  try {
    await Promise.all(held.map((socket) => once(socket, "connect")));
    for (let i = 0; i < 2; i++) {
      expect(await failure(wholeExchange({ url: `http://127.0.0.1:${port}` }, hasty))).toMatchObject({
        kind: "timeout",
        message: "no complete answer within 200 ms",
      });
    }
  } finally {
    for (const socket of held) socket.destroy();
    await deaf.terminate();
  }
});

test("an answer is cut off at its limit, endless or decompressed", async () => {
  const endless = await serve(() => ({
    write(response) {
      const more = (): void => {
        while (response.write(Buffer.alloc(65_536))) if (response.destroyed) return;
        response.once("drain", more);
      };
      more();
    },
  }));
  const bomb = await serve(() => ({
    write(response) {
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(50_000_000)));
    },
  }));
  for (const { url } of [endless, bomb]) {
    expect(await failure(wholeExchange({ url }, limits))).toMatchObject({
      kind: "too-large",
      message: "the answer is longer than 100000 bytes",
    });
  }
});

describe("redirects", () => {
  const to = (location: string, status = 302): FakeAnswer => ({
    write: (response) => void response.writeHead(status, { location }).end(),
  });

  test("the redirect of a GET is followed, and another host gets no header that may be a key", async () => {
    const target = await serve(() => ({ raw: "here" }));
    const server = await serve(({ path }) => (path === "/first" ? to("/second") : to(`${target.url}/third`)));
    const headers = { "x-api-key": "sesame", accept: "text/plain" };
    const url = `${server.url.replace("//", "//user:pass@")}/first`;
    const { body } = await wholeExchange({ url, headers }, limits);
    expect(body.toString()).toBe("here");
    expect(server.seen.map(({ headers }) => [headers["x-api-key"], headers.authorization])).toEqual([
      ["sesame", "Basic dXNlcjpwYXNz"],
      ["sesame", "Basic dXNlcjpwYXNz"],
    ]);
    const [{ headers: sent }] = target.seen;
    expect([sent["x-api-key"], sent.authorization, sent.accept]).toEqual([undefined, undefined, "text/plain"]);
  });

  test("a circular redirect, or one to another scheme, is refused", async () => {
    const circle = await serve(() => to("/again"));
    expect(await failure(wholeExchange({ url: circle.url }, limits))).toMatchObject({ kind: "redirect" });
    expect(circle.seen.length).toBe(6);
    const file = await serve(() => to("file:///etc/passwd"));
    expect(await failure(wholeExchange({ url: file.url }, limits))).toMatchObject({ kind: "redirect" });
  });

  test("the redirect of a POST is returned as the answer", async () => {
    const { url } = await serve(() => to("/elsewhere", 307));
    const { status } = await wholeExchange({ method: "POST", url, body: "{}" }, limits);
    expect(status).toBe(307);
  });
});

test("an error of an exchange, and its cause, repeat no part of the URL", async () => {
  const dead = await deadUrl();
  for (const url of [`${dead.replace("//", "//us:pw@")}/k1?q=z9`, "http://us:pw@127.0.0.1:1/k1?q=z9"]) {
    const error = await failure(wholeExchange({ url }, limits));
    expect(error.kind).toBe("unreachable");
    expect(`${error.message} ${error.cause}`).not.toMatch(/k1|z9|pw|us:/);
  }
});

test("an exchange on a kept connection that the server closes at that moment is sent again", async () => {
  let connections = 0;
  const server = createServer((socket) => {
    const isFirst = connections++ === 0;
    let requests = 0;
    socket.on("error", () => undefined);
    socket.on("data", () => {
      if (isFirst && ++requests === 2) socket.resetAndDestroy();
      else socket.write("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nhere");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const expected of [1, 2]) {
      const { body } = await wholeExchange({ method: "POST", url, body: "{}" }, limits);
      expect(body.toString()).toBe("here");
      expect(connections).toBe(expected);
    }
  } finally {
    server.close();
  }
});

test("a head without end is cut off, and a body that breaks off is a failure however its length is given", async () => {
  const answers: Record<string, string> = {
    "/head": `HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}`,
    "/length": "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhere",
    "/chunks": "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhere\r\n",
    "/last": "HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhere\r\n",
  };
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (request) => {
      const path = request.toString("latin1").split(" ", 2)[1];
      if (path === "/head") socket.write(answers[path]);
      else socket.end(answers[path]);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    for (const path of Object.keys(answers)) {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
      expect((await failure(wholeExchange({ url }, limits))).kind).toBe("unreachable");
    }
  } finally {
    server.close();
  }
});

test.each([
  ["whose end is that of the connection", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"],
  ["with a length", "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"],
])("a body %s is read whole after the server has closed the connection", async (_, head) => {
  const closed = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(`${head}${"a".repeat(100_000)}`, () => closed.resolve()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const { port } = server.address() as AddressInfo;
    const { body } = await openExchange({ url: `http://127.0.0.1:${port}/` }, limits);
    await closed.promise;
    let size = 0;
    for await (const piece of body) {
      // A turn for each piece: the connection ends while most of the body waits.
      await new Promise((resolve) => setImmediate(resolve));
      size += piece.length;
    }
    expect(size).toBe(100_000);
  } finally {
    server.close();
  }
});

test("a request whose answer broke off is not sent again on a new connection", async () => {
  let requests = 0;
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      requests++;
      socket.end("HTTP/1.1 200 OK\r\nConte");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const { port } = server.address() as AddressInfo;
    const call = { url: `http://127.0.0.1:${port}/`, method: "POST", body: "once" } as const;
    expect((await failure(wholeExchange(call, limits))).kind).toBe("unreachable");
    expect(requests).toBe(1);
  } finally {
    server.close();
  }
});

test("a response is decompressed by its encoding, and one without a body is not", async () => {
  const content = Buffer.from("here and there ".repeat(100));
  const encoded = { gzip: gzipSync(content), deflate: deflateSync(content), br: brotliCompressSync(content) };
  const { url } = await serve(({ path }) => ({
    write(response) {
      const encoding = path.slice(1) as keyof typeof encoded;
      response.writeHead(200, { "content-encoding": encoding }).end(encoded[encoding]);
    },
  }));
  for (const encoding of Object.keys(encoded)) {
    const { body } = await wholeExchange({ url: `${url}/${encoding}` }, limits);
    expect(body.equals(content)).toBe(true);
  }
  const { status, body } = await wholeExchange({ method: "HEAD", url: `${url}/gzip` }, limits);
  expect([status, body.length]).toEqual([200, 0]);
});
