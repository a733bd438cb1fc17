import { afterEach, expect, test, vi } from "vitest";
import type { Listener } from "../../src/rpc/http/listener.ts";
import { publicRegistry } from "../../src/rpc/methods/public-registry.ts";
import { startRpcServer } from "../../src/rpc/rpc-server.ts";
import { fakeServices, recordingLogger } from "./support/fakes.ts";

const UWS_LISTENER = "../../src/rpc/http/uws-listener.ts";
let listener: Listener | undefined;

afterEach(async () => {
  await listener?.close();
  vi.doUnmock(UWS_LISTENER);
  vi.resetModules();
});

async function call(method: string, params: unknown[] = []): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${listener?.port}/`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 0, method, params }),
  });
  return response.json();
}

test("an RPC server with default options serves a node's reads", async () => {
  const log = recordingLogger();
  listener = await startRpcServer(publicRegistry(fakeServices()), { port: 0, namespaces: ["node"] }, log);
  expect(listener.adapter).toBe("uWebSockets.js");
  expect(await call("node_getBlockNumber")).toEqual({ jsonrpc: "2.0", id: 0, result: 0 });
  expect(await call("node_getNodeVersion")).toEqual({ jsonrpc: "2.0", id: 0, result: "4.1.2" });
  expect(log.entries).toEqual([]);
});

test("an RPC server applies the rate limit it is given", async () => {
  const limited = { port: 0, namespaces: ["node"] as const, rateLimit: 1 };
  listener = await startRpcServer(publicRegistry(fakeServices()), limited, recordingLogger());
  const answers = [];
  for (let i = 0; i < 4; i++) answers.push(await call("node_isReady"));
  expect(answers[0]).toMatchObject({ result: true });
  expect(answers[3]).toMatchObject({ error: { code: -32005 } });
});

test("without the native binary, node:http serves and a warning is logged", async () => {
  vi.resetModules();
  vi.doMock(UWS_LISTENER, () => {
    throw new Error("no native binary for this platform");
  });
  const fresh = await import("../../src/rpc/rpc-server.ts");
  const log = recordingLogger();
  listener = await fresh.startRpcServer(publicRegistry(fakeServices()), { port: 0, namespaces: ["node"] }, log);
  expect(listener.adapter).toBe("node:http");
  expect(await call("node_isReady")).toEqual({ jsonrpc: "2.0", id: 0, result: true });
  expect(log.entries).toMatchObject([{ level: "warn" }]);
});
