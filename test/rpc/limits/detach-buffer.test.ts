import { expect, test } from "vitest";
import { detachBuffer } from "../../../src/rpc/limits/detach-buffer.ts";
import { BodyCollector } from "../../../src/rpc/wire/request-body.ts";
import { listenWithUws } from "../../../src/rpc/wire/uws/listener.ts";

const LARGE = 100_000;

test("detachBuffer frees large bytes that own their buffer", () => {
  const bytes = new Uint8Array(LARGE);
  detachBuffer(bytes);
  expect(bytes.buffer.byteLength).toBe(0);
});

test.each([
  ["a part of a larger buffer", () => new Uint8Array(2 * LARGE).subarray(0, LARGE)],
  ["few bytes", () => new Uint8Array(100)],
  ["shared memory", () => new Uint8Array(new SharedArrayBuffer(LARGE))],
])("detachBuffer leaves %s as it is", (_what, make) => {
  const bytes = make();
  const { byteLength } = bytes.buffer;
  detachBuffer(bytes);
  expect(bytes.buffer.byteLength).toBe(byteLength);
});

test("a body that came in pieces is whole, and the buffers of its pieces are detached", () => {
  const pieces = [1, 2, 3].map((byte) => new Uint8Array(LARGE).fill(byte));
  const collector = new BodyCollector(10 * LARGE);
  for (const piece of pieces) collector.push(piece);
  const body = collector.take();
  expect(body).toHaveLength(3 * LARGE);
  expect([0, LARGE, 2 * LARGE].map((at) => body[at])).toEqual([1, 2, 3]);
  expect(pieces.map(({ buffer }) => buffer.byteLength)).toEqual([0, 0, 0]);
});

test("the buffer of a large answer is detached once it is sent or its client has left", async () => {
  const answers: Uint8Array[] = [];
  const application = {
    receive: () => {
      const body = new Uint8Array(20 * LARGE).fill(answers.length + 1);
      answers.push(body);
      return { status: 200, headers: [], body };
    },
    failed: () => ({ status: 500, headers: [] }),
  };
  const times = { requestTimeoutMs: 10_000, stallTimeoutMs: 10_000 };
  const listener = await listenWithUws(application, { host: "127.0.0.1", port: 0, ...times });
  try {
    const url = `http://127.0.0.1:${listener.port}/`;
    const taken = new Uint8Array(await (await fetch(url)).arrayBuffer());
    expect(taken).toEqual(new Uint8Array(20 * LARGE).fill(1));
    const leaving = new AbortController();
    await fetch(url, { signal: leaving.signal });
    leaving.abort();
    await expect.poll(() => answers.map(({ buffer }) => buffer.byteLength)).toEqual([0, 0]);
  } finally {
    await listener.close(0);
  }
});
