import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startAdminServer } from "../../../src/node/admin/admin-server.ts";
import { AdminKeyFileError, AdminKeyHashError, type AdminKeyOptions } from "../../../src/node/admin/api-key.ts";
import type { NodeLogger } from "../../../src/process/logging/logging.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { ListenError, type Listener } from "../../../src/rpc/wire/listener.ts";
import { adminCalls } from "../../world/rpc/admin-calls.ts";
import { fakeServices, recordingLogger } from "../../world/rpc/fakes.ts";

let folder: string;
let banners: string[];
let lines: string[];
let listener: Listener | undefined;
let keyFile: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-admin-"));
  keyFile = join(folder, "admin", "api_key_hash");
  banners = [];
  lines = [];
});
afterEach(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

const note = (facts: object, message: string) => void lines.push(`${message} ${JSON.stringify(facts)}`);
const log = {
  ...recordingLogger(),
  info: (facts: object | string, message = "") =>
    note(typeof facts === "string" ? {} : facts, message || String(facts)),
  warn: (facts: object | string, message = "") =>
    note(typeof facts === "string" ? {} : facts, message || String(facts)),
} as unknown as NodeLogger;

async function stop(): Promise<void> {
  await listener?.close(0);
  listener = undefined;
}

const calls = adminCalls();
async function start(key: Partial<AdminKeyOptions> = {}, port = 0, withPage = false): Promise<void> {
  await stop();
  listener = await startAdminServer(
    calls.services,
    {
      listen: { host: "127.0.0.1", port },
      serve: { versionHeaders: [["x-aztec-packageVersion", "4.1.2"]] },
      key: { disabled: false, hash: undefined, reset: false, dataDirectory: folder, log, ...key },
      show: (banner) => void banners.push(banner),
      api: V4.api,
      ...(withPage && { reads: fakeServices() }),
    },
    log,
  );
}

function shownKey(): string {
  expect(banners).toHaveLength(1);
  const keys = banners[0].match(/\b[0-9a-f]{64}\b/g);
  expect(keys).toHaveLength(1);
  return keys![0];
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const REQUEST = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "svcAdmin_pauseSync", params: [] });

async function ask(headers: Record<string, string> = {}, init: RequestInit = {}, path = "/"): Promise<Response> {
  return fetch(`http://127.0.0.1:${listener!.port}${path}`, {
    method: "POST",
    body: REQUEST,
    ...init,
    headers: { "content-type": "application/json", ...headers },
  });
}
const statusWith = async (headers: Record<string, string>): Promise<number> => (await ask(headers)).status;

describe("admin key", () => {
  test("the admin key is made at the first start, shown once and stored as a hash", async () => {
    await start();
    const key = shownKey();
    expect(readFileSync(keyFile, "utf8")).toBe(sha256(key));
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(await statusWith({ "x-api-key": key })).toBe(200);
    expect(lines.join("\n")).not.toContain(key);
  });

  test("the admin key stays the same after a restart and is not shown again", async () => {
    await start();
    const key = shownKey();
    await start();
    expect(banners).toHaveLength(1);
    expect(await statusWith({ "x-api-key": key })).toBe(200);
  });

  test("a reset replaces the admin key", async () => {
    await start();
    const old = shownKey();
    banners = [];
    await start({ reset: true });
    const key = shownKey();
    expect(key).not.toBe(old);
    expect(await statusWith({ "x-api-key": old })).toBe(401);
    expect(await statusWith({ "x-api-key": key })).toBe(200);
    expect(readFileSync(keyFile, "utf8")).toBe(sha256(key));
  });

  test.each(["", "abc", "g".repeat(64), "a".repeat(65)])(
    "a malformed stored key hash %j is replaced with a warning",
    async (stored) => {
      mkdirSync(join(folder, "admin"));
      writeFileSync(keyFile, stored, { mode: 0o644 });
      await start();
      expect(await statusWith({ "x-api-key": shownKey() })).toBe(200);
      expect(statSync(keyFile).mode & 0o777).toBe(0o600);
      expect(lines.join("\n")).toContain("malformed");
    },
  );

  test("white space around the stored key hash is ignored", async () => {
    mkdirSync(join(folder, "admin"));
    writeFileSync(keyFile, `  ${sha256("secret")}\n`);
    await start();
    expect(banners).toEqual([]);
    expect(await statusWith({ "x-api-key": "secret" })).toBe(200);
  });

  test("a configured key hash is used, and nothing is shown or stored", async () => {
    await start({ hash: ` ${sha256("my key")} `, reset: true });
    expect(banners).toEqual([]);
    expect(() => statSync(keyFile)).toThrow();
    expect(await statusWith({ authorization: "Bearer my key" })).toBe(200);
  });

  test.each(["abc", sha256("x").toUpperCase(), `${sha256("x")}0`, ""])(
    "%j is refused as a configured key hash",
    async (hash) => {
      await expect(start({ hash })).rejects.toThrow(AdminKeyHashError);
      await expect(start({ hash })).rejects.toThrow(
        `Invalid admin API key hash: expected 64-char hex string, got ${hash.length} characters`,
      );
    },
  );

  test("without a data directory the admin key is new at every start", async () => {
    await start({ dataDirectory: undefined });
    const first = shownKey();
    banners = [];
    await start({ dataDirectory: undefined });
    expect(shownKey()).not.toBe(first);
    expect(await statusWith({ "x-api-key": first })).toBe(401);
  });

  test("a disabled admin key is not required, with a warning", async () => {
    await start({ disabled: true });
    expect(banners).toEqual([]);
    expect(lines.join("\n")).toMatch(/anyone who can reach the admin port/);
    expect(await statusWith({})).toBe(200);
    expect(() => statSync(keyFile)).toThrow();
  });

  test("no admin key is shown or stored when the port is taken", async () => {
    await start({ disabled: true });
    const taken = listener!;
    listener = undefined;
    await expect(start({}, taken.port)).rejects.toThrow(ListenError);
    expect(banners).toEqual([]);
    expect(() => statSync(keyFile)).toThrow();
    await taken.close(0);
    await start();
    expect(await statusWith({ "x-api-key": shownKey() })).toBe(200);
  });

  test("a key file that cannot be written stops the start", async () => {
    writeFileSync(join(folder, "admin"), "");
    await expect(start()).rejects.toThrow(AdminKeyFileError);
    await expect(start()).rejects.toThrow(/admin key file .*api_key_hash must be readable and writable \(ENOTDIR\)/);
  });
});

describe("requests to the admin port", () => {
  const hash = sha256("the key");
  beforeEach(() => start({ hash }));

  test.each<[string, Record<string, string>, number]>([
    ["x-api-key", { "x-api-key": "the key" }, 200],
    ["X-API-KEY in any case", { "X-API-KEY": "the key" }, 200],
    ["a wrong x-api-key", { "x-api-key": "the Key" }, 401],
    ["Bearer", { authorization: "Bearer the key" }, 200],
    ["bearer in any case", { authorization: "bEARER   the key" }, 200],
    ["a bare authorization", { authorization: "the key" }, 200],
    ["a wrong authorization", { authorization: "Bearer wrong" }, 401],
    ["Basic", { authorization: "Basic the key" }, 401],
    [
      "a wrong x-api-key beside the right authorization",
      { "x-api-key": "wrong", authorization: "Bearer the key" },
      401,
    ],
    ["an empty x-api-key beside the right authorization", { "x-api-key": "", authorization: "Bearer the key" }, 200],
    ["the hash instead of the key", { "x-api-key": hash }, 401],
    ["nothing", {}, 401],
    ["an empty Bearer", { authorization: "Bearer " }, 401],
  ])("a request with %s is admitted only with the right key", async (_what, headers, status) => {
    expect(await statusWith(headers)).toBe(status);
  });

  test("every request without the key gets the same 401, without headers about the node", async () => {
    const expected = {
      jsonrpc: "2.0",
      id: null,
      error: { code: -32000, message: "Unauthorized: invalid or missing API key" },
    };
    for (const key of ["", "wrong"]) {
      const response = await ask({ "x-api-key": key });
      expect([response.status, await response.json()]).toEqual([401, expected]);
      expect(response.headers.get("content-type")).toMatch(/^application\/json/);
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
      expect([...response.headers.keys()].filter((name) => name.startsWith("x-aztec-"))).toEqual([]);
    }
    const admitted = await ask({ "x-api-key": "the key" });
    expect(admitted.headers.get("x-aztec-packageversion")).toBe("4.1.2");
  });

  test("a request without the key is refused whatever its body is", async () => {
    for (const body of ["{ no json", "", "x".repeat(3 * 1024 * 1024)]) {
      expect((await ask({}, { body })).status).toBe(401);
    }
    expect((await ask({ "content-encoding": "gzip" })).status).toBe(401);
    expect((await ask({ "x-api-key": "the key" }, { body: "{ no json" })).status).toBe(400);
  });

  test("a request without the key is refused before its body arrives", async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(listener!.port, "127.0.0.1", () => {
        socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{");
      });
      socket.once("data", (data) => {
        resolve(data.toString());
        socket.destroy();
      });
      socket.once("error", reject);
    });
    expect(answer).toMatch(/^HTTP\/1.1 401 /);
  });

  test("only GET /status needs no key", async () => {
    const without = async (method: string, path: string) => {
      const response = await ask({}, { method, body: undefined }, path);
      await response.arrayBuffer();
      return response.status;
    };
    expect(await without("GET", "/status")).toBe(200);
    expect(await without("GET", "/status?probe=1")).toBe(200);
    for (const [method, path] of [
      ["HEAD", "/status"],
      ["GET", "/status/"],
      ["GET", "/"],
      ["OPTIONS", "/"],
      ["OPTIONS", "/status"],
      ["POST", "/status"],
      ["GET", "/other"],
    ]) {
      expect([method, path, await without(method, path)]).toEqual([method, path, 401]);
    }
    const preflight = { "access-control-request-method": "POST", origin: "http://page" };
    expect((await ask(preflight, { method: "OPTIONS", body: undefined })).status).toBe(401);
    const withKey = await ask({ ...preflight, "x-api-key": "the key" }, { method: "OPTIONS", body: undefined });
    expect(withKey.status).toBe(200);
  });

  test("a request with the key reaches both admin namespaces and no public method", async () => {
    const call = async (method: string) =>
      (await ask({ "x-api-key": "the key" }, { body: JSON.stringify({ id: 1, method }) })).json();
    expect(await call("svcAdmin_resumeSync")).toEqual({ jsonrpc: "2.0", id: 1, result: null });
    expect(await call("nodeAdmin_resumeSync")).toEqual({ jsonrpc: "2.0", id: 1, result: null });
    expect(await call("node_getVersion")).toMatchObject({ error: { code: -32601 } });
  });
});

describe("web pages and the admin port", () => {
  const page = { origin: "https://page.example" };
  const corsOf = (response: Response) =>
    [...response.headers.keys()].filter((name) => name.startsWith("access-control-"));

  test("a web page cannot call an admin port without a key, but a program can", async () => {
    await start({ disabled: true });
    const paused = calls.done.length;
    for (const headers of [page, { origin: "null" }, { ...page, "content-type": "text/plain" }]) {
      const response = await ask(headers);
      expect([response.status, await response.json()]).toEqual([
        403,
        {
          jsonrpc: "2.0",
          id: null,
          error: {
            code: -32000,
            message: "Forbidden: without an API key, requests with an Origin header are refused",
          },
        },
      ]);
      expect(corsOf(response)).toEqual([]);
    }
    const preflight = { ...page, "access-control-request-method": "POST" };
    expect((await ask(preflight, { method: "OPTIONS", body: undefined })).status).toBe(403);
    expect(calls.done).toHaveLength(paused);
    expect((await ask(page, { method: "GET", body: undefined }, "/status")).status).toBe(200);
    expect(await statusWith({})).toBe(200);
  });

  test("the admin port never answers with CORS headers", async () => {
    for (const key of [{ disabled: true }, { hash: sha256("the key") }]) {
      await start(key);
      const headers = { "x-api-key": "the key" };
      for (const response of [
        await ask(headers),
        await ask(headers, { method: "OPTIONS", body: undefined }),
        await ask(headers, { method: "GET", body: undefined }, "/status"),
        await ask({ ...headers, "access-control-request-method": "POST" }, { method: "OPTIONS", body: undefined }),
      ]) {
        expect(response.status).toBe(200);
        expect(corsOf(response)).toEqual([]);
        expect(response.headers.get("vary")).toBe("Accept-Encoding");
      }
    }
  });
});

describe("the admin port's own page", () => {
  const read = (method: string, headers: Record<string, string> = {}, path = "/ui/rpc") =>
    ask(headers, { body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [] }) }, path);
  const origin = () => `http://127.0.0.1:${listener!.port}`;

  test("its files need no key, its calls do", async () => {
    await start({ hash: sha256("the key") }, 0, true);
    const page = await ask({}, { method: "GET", body: undefined }, "/ui/");
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect((await read("svc_getBlockNumber", { origin: origin() })).status).toBe(401);
    expect((await read("svc_getBlockNumber", { "x-api-key": "wrong" })).status).toBe(401);
    for (const method of ["svc_getBlockNumber", "svcAdmin_getDutyTimes"]) {
      const answer = await read(method, { "x-api-key": "the key", origin: origin() });
      expect([answer.status, Object.keys((await answer.json()) as object)]).toEqual([200, ["jsonrpc", "id", "result"]]);
    }
  });

  test("the port's root still has the admin methods only", async () => {
    await start({ disabled: true }, 0, true);
    expect(await (await read("svc_getBlockNumber", {}, "/")).json()).toMatchObject({ error: { code: -32601 } });
    expect(await (await read("node_getBlockNumber")).json()).toMatchObject({ error: { code: -32601 } });
  });

  test("without a key its calls come from an address or localhost, and from no other page or name", async () => {
    await start({ disabled: true }, 0, true);
    const { port } = listener!;
    expect((await read("svc_getBlockNumber", { origin: origin() })).status).toBe(200);
    const raw = (host: string, from: string, path = "/ui/rpc") =>
      new Promise<number>((resolve, reject) => {
        const socket = connect(port, "127.0.0.1", () => {
          const head = [`POST ${path} HTTP/1.1`, `Host: ${host}`, `Origin: ${from}`, "Content-Type: application/json"];
          socket.write([...head, `Content-Length: ${REQUEST.length}`, "", REQUEST].join("\r\n"));
        });
        socket.once("data", (data) => {
          resolve(Number(data.toString("latin1").split(" ")[1]));
          socket.destroy();
        });
        socket.once("error", reject);
      });
    expect(await raw(`localhost:${port}`, `http://localhost:${port}`)).toBe(200);
    expect(await raw(`[::1]:${port}`, `http://[::1]:${port}`)).toBe(200);
    // A name that was rebound to this address; another port; another page; a page of another scheme; a sandboxed one.
    expect(await raw(`page.example:${port}`, `http://page.example:${port}`)).toBe(403);
    expect(await raw(`127.0.0.1.page.example:${port}`, `http://127.0.0.1.page.example:${port}`)).toBe(403);
    expect(await raw(`127.0.0.1:${port}`, `http://127.0.0.1:${port + 1}`)).toBe(403);
    expect(await raw(`127.0.0.1:${port}`, "http://page.example")).toBe(403);
    expect(await raw(`127.0.0.1:${port}`, `https://127.0.0.1:${port}`)).toBe(403);
    expect(await raw(`127.0.0.1:${port}`, "null")).toBe(403);
    // Only the page's own path is exempt.
    expect(await raw(`127.0.0.1:${port}`, `http://127.0.0.1:${port}`, "/")).toBe(403);
  });
});

test("every request compares key digests of equal length in constant time", async () => {
  const crypto = await import("node:crypto");
  const compared: number[] = [];
  vi.resetModules();
  vi.doMock("node:crypto", () => ({
    ...crypto,
    timingSafeEqual: (a: Uint8Array, b: Uint8Array) => {
      compared.push(a.length, b.length);
      return crypto.timingSafeEqual(a, b);
    },
  }));
  const { ApiKeyGate, apiKeyHash } = await import("../../../src/rpc/admin/api-key-gate.ts");
  vi.doUnmock("node:crypto");
  const inner = { receive: () => ({ status: 200, headers: [] }), failed: () => ({ status: 500, headers: [] }) };
  const gate = new ApiKeyGate(inner, apiKeyHash("key"));
  for (const key of ["", "k", "key", "k".repeat(10_000)]) {
    const header = (name: string) => (name === "x-api-key" ? key : "");
    gate.receive({ method: "POST", path: "/", query: "", header, client: () => "", signal: () => AbortSignal.any([]) });
  }
  expect(compared).toEqual([32, 32, 32, 32, 32, 32, 32, 32]);
});
