import { afterEach, describe, expect, test, vi } from "vitest";
import { publicRegistry } from "../../../src/rpc/server/public-registry.ts";
import { startRpcServer } from "../../../src/rpc/server/rpc-server.ts";
import type { Listener } from "../../../src/rpc/wire/listener.ts";
import { fakeServices, recordingLogger } from "../../world/rpc/fakes.ts";
import { MovingChain } from "../../world/rpc/moving-chain.ts";
import { SocketClient } from "../../world/rpc/socket-client.ts";

const UWS_LISTENER = "../../../src/rpc/wire/uws/listener.ts";
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
  listener = await startRpcServer(
    publicRegistry(fakeServices()),
    { listen: { port: 0 }, serve: { namespaces: ["node"] } },
    log,
  );
  expect(listener.adapter).toBe("uWebSockets.js");
  expect(await call("node_getBlockNumber")).toEqual({ jsonrpc: "2.0", id: 0, result: 0 });
  expect(await call("node_getNodeVersion")).toEqual({ jsonrpc: "2.0", id: 0, result: "4.1.2" });
  expect(log.entries).toEqual([]);
});

test("an RPC server applies the rate limit it is given", async () => {
  const limited = { listen: { port: 0 }, serve: { namespaces: ["node"] as const }, limits: { rateLimit: 1 } };
  listener = await startRpcServer(publicRegistry(fakeServices()), limited, recordingLogger());
  const answers = [];
  for (let i = 0; i < 4; i++) answers.push(await call("node_isReady"));
  expect(answers[0]).toMatchObject({ result: true });
  expect(answers[3]).toMatchObject({ error: { code: -32005 } });
});

describe.each(["auto", "node"] as const)("an RPC server with a path prefix, adapter %s", (adapter) => {
  const sockets = {
    ...{ maxPerClient: 4, maxSubscriptions: 4, maxFilters: 4, maxMessageBytes: 65_536 * 2, maxBuffered: 65_536 },
    ...{ idleTimeoutMs: 60_000, maxBehind: 10 },
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "node_isReady" });
  const headers = { "content-type": "application/json" };
  const page = [{ name: "", headers: [], hash: "a", bytes: Buffer.from("page") }];

  test("serves every route below the prefix, and nothing elsewhere", async () => {
    const services = fakeServices();
    const sources = { ...services, store: new MovingChain(), pool: undefined, poolStatus: async () => undefined };
    listener = await startRpcServer(
      publicRegistry(services),
      {
        listen: { port: 0, host: "127.0.0.1", adapter, prefix: "/net-1/rpc" },
        serve: { namespaces: ["node", "svc"], getReads: true, page },
        limits: { rateLimit: 1_000 },
        sockets: { settings: sockets, sources },
      },
      recordingLogger(),
    );
    const { port } = listener;
    const ask = async (method: string, path: string) => {
      const asked = { method, headers, redirect: "manual", ...(method === "POST" && { body }) } as const;
      const response = await fetch(`http://127.0.0.1:${port}${path}`, asked);
      return [response.status, await response.text()];
    };
    const answer = [200, '{"jsonrpc":"2.0","id":1,"result":true}'];
    expect(await ask("POST", "/net-1/rpc")).toEqual(answer);
    expect(await ask("POST", "/net-1/rpc/")).toEqual(answer);
    expect(await ask("GET", "/net-1/rpc/status")).toEqual([200, "OK"]);
    expect(await ask("GET", "/net-1/rpc/v1/node_getBlock?params=[]")).toMatchObject([400, /"code":-32602/]);
    expect(await ask("GET", "/net-1/rpc/ui/")).toEqual([200, "page"]);
    expect((await ask("OPTIONS", "/net-1/rpc"))[0]).toBe(200);
    for (const path of ["/", "/status", "/ui/", "/net-1", "/net-1/", "/net-1/rpcs", "/net-1/rpc//", "/net-1/RPC"]) {
      expect(await ask("GET", path), path).toEqual([404, "Not Found"]);
      expect(await ask("POST", path), path).toEqual([404, "Not Found"]);
    }
    for (const path of ["/net-1/rpc", "/net-1/rpc/"]) {
      const client = await SocketClient.to(port, {}, path);
      expect(await client.call("node_isReady")).toBe(true);
      await client.leave();
    }
    for (const path of ["/", "/net-1", "/net-1/rpc/status"]) {
      await expect(SocketClient.to(port, {}, path), path).rejects.toThrow(/Unexpected server response: (404|405|200)/);
    }
  });
});

test("without the native binary, node:http serves and a warning is logged", async () => {
  vi.resetModules();
  vi.doMock(UWS_LISTENER, () => {
    throw new Error("no native binary for this platform");
  });
  const fresh = await import("../../../src/rpc/server/rpc-server.ts");
  const log = recordingLogger();
  listener = await fresh.startRpcServer(
    publicRegistry(fakeServices()),
    { listen: { port: 0 }, serve: { namespaces: ["node"] } },
    log,
  );
  expect(listener.adapter).toBe("node:http");
  expect(await call("node_isReady")).toEqual({ jsonrpc: "2.0", id: 0, result: true });
  expect(log.entries).toMatchObject([{ level: "warn" }]);
});
