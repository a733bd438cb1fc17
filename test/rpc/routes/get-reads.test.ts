import { createHash } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Consistency } from "../../../src/rpc/calls/consistency.ts";
import { encodeText } from "../../../src/rpc/codecs/json/encoder.ts";
import { integer } from "../../../src/rpc/codecs/json/number.ts";
import { ExecutionError } from "../../../src/rpc/jsonrpc/errors.ts";
import { method, param, Registry } from "../../../src/rpc/registry/registry.ts";
import { startRpcServer } from "../../../src/rpc/server/rpc-server.ts";
import type { Listener } from "../../../src/rpc/wire/listener.ts";
import { recordingLogger } from "../../world/rpc/fakes.ts";

const LONG = "long ".repeat(5_000);

/** Even numbers are final, odd ones may change, 13 is not there, 99 fails; from 100 on calls are long. */
const registry = new Registry([
  method({
    name: "read",
    params: [param("n", integer({ least: 0 }))],
    handle: (n) => {
      if (n === 99) throw new ExecutionError("Nothing is known of 99");
      return n === 13 ? undefined : n === 42 ? LONG : `value ${n}`;
    },
    long: (n) => n >= 100,
    immutable: (_value, n) => n % 2 === 0,
    nothing: "for 13",
    encode: { node: encodeText, svc: encodeText },
  }),
  method({ name: "live", params: [], handle: () => "now", encode: { node: encodeText } }),
]);

let listener: Listener;
const listeners = new Set<() => void>();
let tip = 5;
beforeEach(async () => {
  const consistency = new Consistency(
    {
      tip: () => ({ number: tip, hash: new Uint8Array(32).fill(tip) }),
      blockHash: () => undefined,
      commits: {
        onCommit: (listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      },
    },
    { waitMs: 2_000 },
  );
  const serve = { namespaces: ["node", "svc"] as const, getReads: true };
  const options = { listen: { host: "127.0.0.1", port: 0 }, serve, cache: { consistency } };
  listener = await startRpcServer(registry, options, recordingLogger());
});
afterEach(() => listener.close(0));

const url = (rest: string) => `http://127.0.0.1:${listener.port}/v1/${rest}`;
const get = (rest: string, headers: Record<string, string> = {}, verb = "GET") =>
  fetch(url(rest), { method: verb, headers: { "accept-encoding": "identity", ...headers } });
const read = (n: number | string) => `node_read?params=${encodeURIComponent(`[${n}]`)}`;
const cacheControl = ({ headers }: Response) => headers.get("cache-control");

test("a final result may be kept for ever by any cache", async () => {
  const answer = await get(read(2));
  expect(answer.status).toBe(200);
  expect(cacheControl(answer)).toBe("public, max-age=31536000, immutable");
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  expect(answer.headers.get("vary")).toBe("Accept-Encoding");
  const text = await answer.text();
  expect(text).toBe('{"jsonrpc":"2.0","id":null,"result":"value 2"}');
  const tag = createHash("sha256").update(text).digest("base64url").slice(0, 22);
  expect(answer.headers.get("etag")).toBe(`"${tag}"`);
});

test.each([
  ["that can change", 3, 200, '{"jsonrpc":"2.0","id":null,"result":"value 3"}'],
  ["that is not there", 13, 404, '{"jsonrpc":"2.0","id":null,"result":null}'],
  ["that fails", 99, 400, '{"jsonrpc":"2.0","id":null,"error":{"code":-32702,"message":"Nothing is known of 99"}}'],
])("a result %s is kept by no cache", async (_, n, status, text) => {
  const answer = await get(read(n));
  expect([answer.status, cacheControl(answer), answer.headers.get("etag")]).toEqual([status, "no-store", null]);
  expect(await answer.text()).toBe(text);
});

test.each([
  ["no JSON", "node_read?params=[", 400, "params must be JSON"],
  ["no list", "node_read?params={}", 400, "params must be a JSON array"],
  ["no params", "node_read", 400, "Array must contain at least 1 element(s)"],
  ["params twice", "node_read?params=[1]&params=[2]", 400, "params must be given once"],
  ["another parameter", "node_read?params=[1]&x=1", 400, "no other parameter than params"],
  ["a wrong value", "node_read?params=[-1]", 400, "greater than or equal to 0"],
  ["a long call", "node_read?params=[100]", 400, "make it by POST"],
  ["a long query", `node_read?params=[1${" ".repeat(5_000)}]`, 400, "at most 4096 characters"],
  ["a method without final results", "node_live?params=[]", 404, "not served to GET"],
  ["an unknown method", "node_none", 404, "not served to GET"],
  ["an unknown namespace", "x_read?params=[2]", 404, "not served to GET"],
  ["no method", "", 404, "not served to GET"],
])("a GET with %s is refused", async (_, rest, status, message) => {
  const answer = await get(rest);
  expect([answer.status, cacheControl(answer)]).toEqual([status, "no-store"]);
  expect(((await answer.json()) as { error: { message: string } }).error.message).toContain(message);
});

test("a client that has the result is told so", async () => {
  const tag = (await get(read(2))).headers.get("etag") ?? "";
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
    const answer = await get(read(2), { "if-none-match": known });
    expect([answer.status, answer.headers.get("etag"), await answer.text()]).toEqual([304, tag, ""]);
    expect(cacheControl(answer)).toContain("immutable");
  }
  expect((await get(read(2), { "if-none-match": '"other"' })).status).toBe(200);
  expect((await get(read(13), { "if-none-match": "*" })).status).toBe(404);
});

test("HEAD gives what GET gives, without the body", async () => {
  const [head, full] = [await get(read(2), {}, "HEAD"), await get(read(2))];
  expect([head.status, head.headers.get("etag")]).toEqual([200, full.headers.get("etag")]);
  expect(head.headers.get("content-length")).toBe(String((await full.arrayBuffer()).byteLength));
  expect(await head.text()).toBe("");
});

test("long results are compressed, each form with a tag of its own", async () => {
  const plain = await get(read(42));
  const zipped = await get(read(42), { "accept-encoding": "gzip" });
  expect(zipped.headers.get("content-encoding")).toBe("gzip");
  expect(zipped.headers.get("etag")).toBe(plain.headers.get("etag")?.replace(/"$/, '-gzip"'));
  expect(await zipped.text()).toBe(await plain.text());
  const known = zipped.headers.get("etag") ?? "";
  expect((await get(read(42), { "accept-encoding": "gzip", "if-none-match": known })).status).toBe(304);
  expect((await get(read(42), { "if-none-match": known })).status).toBe(200);
});

test("a least block is waited for, and only answers that no cache keeps name theirs", async () => {
  const kept = await get(read(2), { "x-svc-min-block": "5" });
  expect([kept.status, kept.headers.get("x-svc-block")]).toEqual([200, null]);
  const block = (number: number) => `${number} 0x${Buffer.alloc(32, number).toString("hex")}`;
  expect((await get(read(3))).headers.get("x-svc-block")).toBe(block(5));
  const late = await get(read(2), { "x-svc-min-block": "6" });
  expect([late.status, cacheControl(late), late.headers.get("retry-after")]).toEqual([503, "no-store", "1"]);
  expect((await get(read(2), { "x-svc-min-block": "six" })).status).toBe(400);
  const waiting = get(read(3), { "x-svc-min-block": "6" });
  await expect.poll(() => listeners.size, { interval: 1 }).toBe(1);
  tip = 6;
  for (const listener of listeners) listener();
  expect((await waiting).headers.get("x-svc-block")).toBe(block(6));
});

test("other verbs are refused, and other paths are not touched", async () => {
  const answer = await get(read(2), {}, "PUT");
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  expect((await fetch(`http://127.0.0.1:${listener.port}/status`)).status).toBe(200);
  expect((await fetch(`http://127.0.0.1:${listener.port}/v1`)).status).toBe(404);
});
