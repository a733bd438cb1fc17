import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type ChainServices, openChainServices } from "../../../src/chain-store/chain-services.ts";
import { selector } from "../../../src/core/derive/selector.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { CorePool } from "../../../src/core/pool.ts";
import { OperatorError } from "../../../src/errors/operator-error.ts";
import type { LongCalls } from "../../../src/rpc/calls/long-calls.ts";
import { ExecutionError } from "../../../src/rpc/jsonrpc/errors.ts";
import { RpcThreads, type RpcThreadsOptions } from "../../../src/rpc/threads/rpc-threads.ts";
import { ListenError } from "../../../src/rpc/wire/listener.ts";
import { Connection } from "../../world/rpc/connection.ts";
import { fakeServices, IDENTITY, recordingLogger } from "../../world/rpc/fakes.ts";

const HOST = "127.0.0.1";
const hasher = new CorePool({ size: 1 });
let folder: string;
let opened: ChainServices;
let threads: RpcThreads | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-rpc-threads-"));
  opened = await openChainServices({
    path: folder,
    mapSizeKb: 1 << 16,
    core: loadCore(),
    identity: IDENTITY,
    publicData: [],
    hasher,
  });
});
afterEach(async () => {
  await threads?.close();
  threads = undefined;
});
afterAll(async () => {
  await opened.store.close();
  await hasher.close();
  rmSync(folder, { recursive: true });
});

const DYING_THREAD = new URL("./dying-thread.ts", import.meta.url);

const NO_LONG_CALLS: LongCalls = { answer: () => Promise.reject(new Error("not asked for")) };

async function start(
  count: number,
  { port = 0, ...limits }: RpcThreadsOptions["server"]["limits"] & { port?: number } = {},
  overrides: Parameters<typeof fakeServices>[0] & { longCalls?: LongCalls } = {},
  others: Pick<RpcThreadsOptions, "entry" | "onFatal" | "restartPausesMs"> = {},
) {
  const log = recordingLogger();
  threads = await RpcThreads.start({
    threads: count,
    services: fakeServices(overrides),
    reads: { path: folder, mapSizeKb: 1 << 16, commits: opened.store.commits, identity: IDENTITY, publicData: [] },
    longCalls: overrides.longCalls ?? NO_LONG_CALLS,
    cacheBytes: 1 << 20,
    server: { listen: { host: HOST, port }, serve: { namespaces: ["svc", "node"] }, limits },
    log,
    entry: DYING_THREAD,
    ...others,
  });
  return { port: threads.port, log };
}

/** Opens connections until every thread has one; returns them by thread id. */
async function oneToEach(port: number, count: number): Promise<Map<number, Connection>> {
  const found = new Map<number, Connection>();
  const end = performance.now() + 120_000;
  while (found.size < count) {
    if (performance.now() > end) throw new Error(`${found.size} of ${count} threads answered`);
    const connection = await Connection.to(port);
    const { result } = (await connection.call("svc_whoAmI")).body as { result: number };
    if (found.has(result)) connection.leave();
    else found.set(result, connection);
  }
  return found;
}

const leave = (connections: Iterable<Connection>) => {
  for (const connection of connections) connection.leave();
};

test("RPC threads share a port and answer from the store and from the main thread's services", async () => {
  const asked: unknown[] = [];
  const { port, log } = await start(
    2,
    {},
    {
      signatures: { register: (names) => void asked.push(names) },
      mempool: {
        ...fakeServices().mempool,
        count: () => 7,
        submit: () => Promise.reject(new ExecutionError("no place", { data: { why: "full" } })),
      },
    },
  );
  const each = await oneToEach(port, 2);
  for (const connection of each.values()) {
    const ask = async (method: string, ...params: unknown[]) => (await connection.call(method, params)).body;
    expect(await ask("node_getBlockNumber")).toMatchObject({ result: 0 });
    expect(await ask("node_isReady")).toMatchObject({ result: true });
    expect(await ask("svc_getPendingTxCount")).toMatchObject({ result: 7 });
    expect(await ask("node_getCurrentMinFees")).toMatchObject({ result: { feePerL2Gas: "87014100000" } });
    expect(await ask("node_getNodeInfo")).toMatchObject({ result: { nodeVersion: "4.1.2", l1ChainId: 31337 } });
    expect(await ask("node_registerContractFunctionSignatures", ["f()"])).not.toHaveProperty("error");
  }
  const named = [{ name: "f", selector: selector(loadCore(), "f()") }];
  expect(asked).toEqual([named, named]);
  leave(each.values());
  expect(log.entries).toEqual([]);
});

test("an RPC thread that dies is restarted, its connections no longer count, and the others go on", async () => {
  const { port, log } = await start(2, { maxConnections: 6 });
  for (const end of ["svc_throwLater", "svc_exitLater"]) {
    const each = [...(await oneToEach(port, 2)).entries()];
    const [[dying, victim], [living, other]] = each;
    await victim.call(end);
    await victim.closed;
    for (let i = 0; i < 20; i++) {
      expect((await other.call("svc_whoAmI")).body).toMatchObject({ result: living });
    }
    await expect.poll(() => log.entries.length, { timeout: 120_000 }).toBe(end === "svc_throwLater" ? 1 : 2);
    other.leave();
    const again = await oneToEach(port, 2);
    expect([...again.keys()]).not.toContain(dying);
    leave(again.values());
  }
  expect(log.entries.map(({ level, message }) => [level, message])).toEqual([
    ["error", "an RPC thread died: starting it again"],
    ["error", "an RPC thread died: starting it again"],
  ]);
  expect(log.entries[0].facts).toMatchObject({ err: { message: "a defect" }, code: 1 });
  expect(log.entries[1].facts).toMatchObject({ code: 3 });
});

test("an RPC thread that died and does not load any more is tried a few times, and then ends the node", async () => {
  const file = join(folder, "entry.ts");
  writeFileSync(file, `import ${JSON.stringify(DYING_THREAD.href)};`);
  const { promise: fatal, resolve: onFatal } = Promise.withResolvers<Error>();
  const { port, log } = await start(1, {}, {}, { entry: pathToFileURL(file), onFatal, restartPausesMs: [1, 1, 1] });
  writeFileSync(file, 'throw new Error("the program was replaced");');
  const [client] = [...(await oneToEach(port, 1)).values()];
  await client.call("svc_exitLater");
  const error = await fatal;
  expect(error).toBeInstanceOf(OperatorError);
  expect(error.message).toBe("an RPC thread died and cannot be started again, tried 3 times: the program was replaced");
  expect(log.entries).toHaveLength(3);
  expect(threads?.status()).toEqual([{ loop: undefined, deaths: 3 }]);
});

test("RPC threads that die at the same time come back on the same port", async () => {
  const { port, log } = await start(2);
  const each = await oneToEach(port, 2);
  await Promise.all([...each.values()].map((connection) => connection.call("svc_exitLater")));
  await Promise.all([...each.values()].map(({ closed }) => closed));
  await expect.poll(() => log.entries.length, { timeout: 120_000 }).toBe(2);
  const listens = () =>
    Connection.to(port).then(
      (connection) => connection.leave(),
      () => "refused",
    );
  await expect.poll(listens, { timeout: 120_000 }).toBeUndefined();
  leave((await oneToEach(port, 2)).values());
});

test("RPC threads share one connection cap", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let asked = 0;
  const count = async () => {
    asked++;
    await released;
    return 9;
  };
  const { port } = await start(2, { maxConnections: 8 }, { mempool: { ...fakeServices().mempool, count } });
  // Without a call under way they would give way to further ones.
  const busy = await Promise.all(Array.from({ length: 8 }, () => Connection.to(port)));
  const answers = busy.map((connection) => connection.call("svc_getPendingTxCount"));
  await expect.poll(() => asked, { timeout: 120_000 }).toBe(8);
  const further = await Connection.to(port);
  expect(await further.call("node_isReady")).toMatchObject({ status: 503, body: { error: { code: -32005 } } });
  release();
  for (const answer of answers) expect((await answer).body).toMatchObject({ result: 9 });
  leave([...busy, further]);
});

test("RPC threads share one rate limit per client", async () => {
  const { port } = await start(2, { rateLimit: 3 });
  const statuses: number[] = [];
  const began = performance.now();
  for (let i = 0; i < 60; i++) {
    const connection = await Connection.to(port);
    statuses.push((await connection.call("node_getVersion")).status);
    connection.leave();
  }
  const admitted = statuses.filter((status) => status === 200).length;
  // A burst of two seconds' worth, plus calls that become available during the test. Each thread by itself would
  // admit as many.
  expect(admitted).toBeGreaterThanOrEqual(6);
  expect(admitted).toBeLessThanOrEqual(7 + (3 * (performance.now() - began)) / 1000);
  expect(statuses).toContain(429);
});

test("RPC threads do not take a port in use by other RPC threads", async () => {
  const { port } = await start(1);
  await expect(start(1, { port })).rejects.toThrow(ListenError);
});

test("closing RPC threads waits for calls in flight and frees the port", async () => {
  const { promise: asked, resolve: begin } = Promise.withResolvers<void>();
  const { port } = await start(
    2,
    {},
    {
      mempool: {
        ...fakeServices().mempool,
        count: () => {
          begin();
          return new Promise((resolve) => setTimeout(() => resolve(9), 300));
        },
      },
    },
  );
  const connection = await Connection.to(port);
  const answer = connection.call("svc_getPendingTxCount");
  await asked;
  await threads?.close();
  expect((await answer).body).toMatchObject({ result: 9 });
  await expect(Connection.to(port)).rejects.toThrow();
  await start(1, { port });
});

test("RPC threads do not keep the process alive or change its exit code", async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, "exiting-process.ts")], { stdio: "pipe" });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (said += part.toString()));
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect([code, said]).toEqual([7, "listening\n"]);
});
