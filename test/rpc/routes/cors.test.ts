import { afterEach, describe, expect, test } from "vitest";
import { corsOrigins } from "../../../src/config/kinds/network-kinds.ts";
import { publicRegistry } from "../../../src/rpc/server/public-registry.ts";
import { startRpcServer } from "../../../src/rpc/server/rpc-server.ts";
import type { Listener } from "../../../src/rpc/wire/listener.ts";
import { fakeServices, recordingLogger } from "../../world/rpc/fakes.ts";

test.each([
  ["*", true],
  ["none", false],
  ["https://App.Example", ["https://app.example"]],
  ["https://a.example:8443, http://localhost:3000", ["https://a.example:8443", "http://localhost:3000"]],
  ["https://a.example:443", ["https://a.example"]],
  ["https://a.example/", undefined],
  ["https://a.example/path", undefined],
  ["a.example", undefined],
  ["*,https://a.example", undefined],
  ["file://x", undefined],
  ["https://u:p@a.example", undefined],
  ["null", undefined],
])("origins %j are read as %j", (text, value) => {
  expect(corsOrigins.parse(text)).toEqual(value);
});

describe("origins of pages", () => {
  let listener: Listener;
  afterEach(() => listener.close(0));
  const ALLOW = "access-control-allow-origin";

  async function start(cors?: boolean | string[]) {
    const options = { listen: { host: "127.0.0.1", port: 0 }, serve: { namespaces: ["node"] as const, cors } };
    listener = await startRpcServer(publicRegistry(fakeServices()), options, recordingLogger());
  }
  const ask = (origin?: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${listener.port}/`, {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "node_isReady" }),
      ...init,
      headers: { "content-type": "application/json", ...(origin && { origin }), ...init.headers },
    });
  const preflight = (origin: string) =>
    ask(origin, { method: "OPTIONS", body: null, headers: { "access-control-request-method": "POST" } });

  test("all may read by default", async () => {
    await start();
    expect((await ask("https://a.example")).headers.get(ALLOW)).toBe("*");
  });

  test("none may read where none is allowed", async () => {
    await start(false);
    expect((await ask("https://a.example")).headers.get(ALLOW)).toBeNull();
    expect((await preflight("https://a.example")).headers.get(ALLOW)).toBeNull();
  });

  test("those of a list may read, and others get an answer that their page cannot read", async () => {
    await start(["https://a.example", "http://localhost:3000"]);
    for (const origin of ["https://a.example", "http://localhost:3000"]) {
      const answer = await ask(origin);
      expect(answer.headers.get(ALLOW)).toBe(origin);
      expect(answer.headers.get("vary")).toBe("Accept-Encoding, Origin");
      expect(await answer.json()).toMatchObject({ result: true });
      const { status, headers } = await preflight(origin);
      expect([status, headers.get(ALLOW), headers.get("access-control-allow-methods")]).toEqual([
        204,
        origin,
        "GET,HEAD,POST",
      ]);
    }
    for (const origin of ["https://evil.example", "https://a.example.evil.example", "null"]) {
      expect((await ask(origin)).headers.get(ALLOW)).toBeNull();
      expect((await preflight(origin)).headers.get(ALLOW)).toBeNull();
    }
    const plain = await ask();
    expect(plain.headers.get(ALLOW)).toBeNull();
    expect(await plain.json()).toMatchObject({ result: true });
  });
});
