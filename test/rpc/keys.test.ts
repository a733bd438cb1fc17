import { createHash } from "node:crypto";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { encodeNumber } from "../../src/rpc/codecs/json/encoder.ts";
import { type ApiKey, ApiKeysError, parseApiKeys } from "../../src/rpc/keys/api-key.ts";
import { KeyCounts } from "../../src/rpc/keys/key-counts.ts";
import { KeyFile } from "../../src/rpc/keys/key-file.ts";
import { KeyRing } from "../../src/rpc/keys/key-ring.ts";
import { keyAccess, sharedKeys } from "../../src/rpc/keys/shared-keys.ts";
import { method, Registry } from "../../src/rpc/registry/registry.ts";
import { startRpcServer } from "../../src/rpc/server/rpc-server.ts";
import type { Listener } from "../../src/rpc/wire/listener.ts";
import { recordingLogger } from "../world/rpc/fakes.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const item = (key: string, more: object = {}) => ({ name: key, sha256: sha256(key), ...more });
const fileText = (...items: object[]) => JSON.stringify({ keys: items });

test.each([
  ["no JSON", "{ keys", "API keys file: it must be JSON"],
  ["no object", "[]", "API keys file: it must be an object"],
  ["an unknown member", '{"keys":[],"key":1}', "API keys file: key is unknown: there are keys"],
  ["no list", "{}", "API keys file: keys must be a list"],
  [
    "a key in place of its hash",
    fileText({ name: "a", key: "s3cret" }),
    "API keys file: keys[0].key is unknown: there are name, sha256, rateLimit, methods",
  ],
  [
    "a short hash",
    fileText({ name: "a", sha256: "s3cret" }),
    "API keys file: keys[0].sha256 must be the SHA-256 hash of the key, 64 hex digits",
  ],
  [
    "a name with a colon",
    fileText(item("a:b")),
    "API keys file: keys[0].name must have 1 to 64 letters, digits, dots, underscores or hyphens",
  ],
  [
    "a negative limit",
    fileText(item("a"), item("b", { rateLimit: -1 })),
    "API keys file: keys[1].rateLimit must be a whole number from 0 to 1000000",
  ],
  [
    "no methods",
    fileText(item("a", { methods: [] })),
    "API keys file: keys[0].methods must be a list of 1 to 200 methods",
  ],
  [
    "a wrong pattern",
    fileText(item("a", { methods: ["node_*Block"] })),
    "API keys file: keys[0].methods[0] must be a method such as node_getBlock, or a beginning such as node_*",
  ],
  [
    "two of one name",
    fileText(item("a"), { ...item("b"), name: "a" }),
    "API keys file: keys[1].name is the same as keys[0].name",
  ],
  [
    "one key twice",
    fileText(item("a"), { ...item("a"), name: "b" }),
    "API keys file: keys[1].sha256 is the same as keys[0].sha256",
  ],
])("a keys file with %s is refused, without its content in the message", (_, text, message) => {
  expect(() => parseApiKeys(text)).toThrow(new ApiKeysError("", "").constructor as typeof ApiKeysError);
  expect(() => parseApiKeys(text)).toThrow(message);
  expect(message).not.toContain("s3cret");
});

test("a key ring finds the keys that it has and no others", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { maxLength: 20 }), fc.string(), (keys, other) => {
      const ring = new KeyRing(
        keys.map((key, i) => ({ name: `k${i}`, hash: Buffer.from(sha256(key), "hex"), rateLimit: 0 })),
      );
      for (const [i, key] of keys.entries()) expect(ring.find(key)?.name).toBe(`k${i}`);
      if (!keys.includes(other)) expect(ring.find(other)).toBeUndefined();
      ring.replace([]);
      for (const key of keys) expect(ring.find(key)).toBeUndefined();
    }),
  );
});

test("calls of a key are counted over all threads, and names beyond the places are left out", () => {
  const memory = KeyCounts.memory();
  const [one, other] = [new KeyCounts(memory), new KeyCounts(memory)];
  one.add("wallet", "ok");
  other.add("indexer", "refused");
  other.add("wallet", "ok", 5);
  for (let i = 0; i < 5_000; i++) one.add(`k${i}`, "ok");
  expect(other.read().slice(0, 3)).toEqual([
    { key: "wallet", ok: 6, refused: 0 },
    { key: "indexer", ok: 0, refused: 1 },
    { key: "k0", ok: 1, refused: 0 },
  ]);
  expect(one.read()).toHaveLength(4_096);
});

describe("a keys file", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-keys-"));
  const path = join(folder, "keys.json");
  let file: KeyFile | undefined;
  afterEach(() => file?.close());
  const write = (text: string) => {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  };

  test("is read again when it is replaced, and a wrong one changes nothing", async () => {
    const log = recordingLogger();
    write("not JSON");
    await expect(KeyFile.open(path, recordingLogger())).rejects.toThrow(`API keys file ${path}: it must be JSON`);
    write(fileText(item("first")));
    file = await KeyFile.open(path, log, 10);
    const seen: string[][] = [];
    file.onChange((keys) => seen.push(keys.map(({ name }) => name)));
    write("not JSON");
    await expect.poll(() => log.entries.filter(({ level }) => level === "error")).toHaveLength(1);
    expect(file.keys.map(({ name }) => name)).toEqual(["first"]);
    rmSync(path);
    await expect.poll(() => log.entries.filter(({ level }) => level === "error")).toHaveLength(2);
    write(fileText(item("second"), item("third")));
    await expect.poll(() => seen).toEqual([["second", "third"]]);
    expect(file.keys).toHaveLength(2);
    rmSync(folder, { recursive: true });
  });

  test("that is not there is refused at the start", async () => {
    await expect(KeyFile.open(join(folder, "none.json"), recordingLogger())).rejects.toThrow(
      `API keys file ${join(folder, "none.json")}: it cannot be read: ENOENT`,
    );
  });
});

const registry = new Registry(
  ["one", "two"].map((name, i) =>
    method({ name, params: [], handle: () => i + 1, encode: { node: encodeNumber, svc: encodeNumber } }),
  ),
);

describe("a port with API keys", () => {
  let listener: Listener;
  const ring = new KeyRing([]);
  const shared = { free: sharedKeys(false), required: sharedKeys(true) };
  afterEach(() => listener.close(0));

  async function start(keys: ApiKey[], { required = false, rateLimit = 0 } = {}) {
    ring.replace(keys);
    const log = recordingLogger();
    const access = keyAccess(ring, shared[required ? "required" : "free"]);
    const serve = { namespaces: ["node", "svc"] as const, keys: access };
    const options = { listen: { host: "127.0.0.1", port: 0 }, serve, limits: { rateLimit } };
    listener = await startRpcServer(registry, options, log);
    return { log, counts: access.counts };
  }
  const url = () => `http://127.0.0.1:${listener.port}`;
  async function call(headers: Record<string, string>, name = "node_one", calls = 1) {
    const one = { jsonrpc: "2.0", id: 1, method: name };
    const response = await fetch(url(), {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(calls === 1 ? one : Array(calls).fill(one)),
    });
    const { result, error } = (await response.json()) as { result?: number; error?: { message: string } };
    return [response.status, result ?? error?.message];
  }

  test("serves calls without a key as before, and refuses a wrong key", async () => {
    const { log } = await start(parseApiKeys(fileText(item("wallet"))));
    expect(await call({})).toEqual([200, 1]);
    expect(await call({ "x-api-key": "wallet" })).toEqual([200, 1]);
    expect(await call({ authorization: "Bearer wallet" })).toEqual([200, 1]);
    expect(await call({ "x-api-key": "wrong" })).toEqual([401, "Unauthorized: invalid API key"]);
    expect(await call({ authorization: "bearer wrong" })).toEqual([401, "Unauthorized: invalid API key"]);
    // A scheme of somebody else, such as a proxy's.
    expect(await call({ authorization: "Basic d2FsbGV0OnA=" })).toEqual([200, 1]);
    ring.replace(parseApiKeys(fileText(item("other"))));
    expect(await call({ "x-api-key": "wallet" })).toEqual([401, "Unauthorized: invalid API key"]);
    expect(await call({ "x-api-key": "other" })).toEqual([200, 1]);
    expect(log.entries).toEqual([]);
  });

  test("may require a key, but for health checks and preflights", async () => {
    await start(parseApiKeys(fileText(item("wallet"))), { required: true });
    expect(await call({})).toEqual([401, "Unauthorized: an API key is required"]);
    expect(await call({ "x-api-key": "wallet" })).toEqual([200, 1]);
    expect((await fetch(`${url()}/status`)).status).toBe(200);
    const asked = { "access-control-request-method": "POST", "access-control-request-headers": "x-api-key" };
    const preflight = await fetch(url(), { method: "OPTIONS", headers: { origin: "https://app.example", ...asked } });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-headers")).toBe("x-api-key");
  });

  test("limits each key, whatever the limit of others", async () => {
    const { counts } = await start(parseApiKeys(fileText(item("slow", { rateLimit: 1 }), item("fast"))), {
      rateLimit: 1,
    });
    const statuses = async (headers: Record<string, string>) => {
      const answers = [];
      for (let i = 0; i < 8; i++) answers.push((await call(headers))[0]);
      return answers;
    };
    expect(await statuses({ "x-api-key": "slow" })).toContain(429);
    expect(await statuses({})).toContain(429);
    expect(await statuses({ "x-api-key": "fast" })).toEqual(Array(8).fill(200));
    expect((await call({ "x-api-key": "fast" }, "node_one", 20))[0]).toBe(200);
    const read = new Map(counts.read().map(({ key, ...outcomes }) => [key, outcomes]));
    expect(read.get("fast")).toEqual({ ok: 28, refused: 0 });
    expect(read.get("slow")?.refused).toBeGreaterThan(0);
  });

  test("gives a key its methods only, in single calls, batches and large bodies", async () => {
    const methods = ["svc_*", "node_one"];
    await start(parseApiKeys(fileText(item("some", { methods }))));
    const headers = { "x-api-key": "some" };
    expect(await call(headers, "node_one")).toEqual([200, 1]);
    expect(await call(headers, "svc_two")).toEqual([200, 2]);
    expect(await call(headers, "node_two")).toEqual([400, "Method not found: node_two"]);
    for (const padding of [0, 100_000]) {
      const body = JSON.stringify([{ jsonrpc: "2.0", id: "i".repeat(padding), method: "node_two" }]);
      const response = await fetch(url(), {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body,
      });
      expect(await response.text()).toContain("Method not found: node_two");
    }
  });
});
