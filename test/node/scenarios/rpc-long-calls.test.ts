import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChainServices, openChainServices } from "../../../src/chain-store/chain-services.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { CorePool } from "../../../src/core/pool.ts";
import { RpcError } from "../../../src/rpc/jsonrpc/errors.ts";
import { LongCallPool } from "../../../src/rpc/threads/long-call-pool.ts";
import { IDENTITY, recordingLogger } from "../../world/rpc/fakes.ts";

const hasher = new CorePool({ size: 1 });
const log = recordingLogger();
let folder: string;
let opened: ChainServices;
let pool: LongCallPool;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-long-calls-"));
  const chain = { path: folder, mapSizeKb: 1 << 16, identity: IDENTITY, publicData: [] };
  opened = await openChainServices({ ...chain, core: loadCore(), hasher });
  const reads = { ...chain, commits: opened.store.commits };
  pool = new LongCallPool(
    { reads, namespaces: ["svc", "node"], maxBatchSize: 10, maxAnswerBytes: 1 << 20, revertWords: "4.3" },
    { threads: 1, log },
  );
});
afterAll(async () => {
  await pool.close();
  await opened.store.close();
  await hasher.close();
  rmSync(folder, { recursive: true });
});

const call = (method: string, params: unknown[], id: unknown = 1) => ({ jsonrpc: "2.0", id, method, params });
const json = (value: unknown) => new Uint8Array(Buffer.from(JSON.stringify(value)));
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const read = (body: Uint8Array) => JSON.parse(Buffer.from(body).toString());
const CLIENT = "192.0.2.1";
const answer = async (value: unknown) => {
  const { isBatch, slots, notifications } = await pool.answer(bytes(value), CLIENT);
  const shown = slots.map((slot) => ("status" in slot ? { status: slot.status, body: read(slot.body) } : slot));
  return isBatch || "namespace" in shown[0] ? { isBatch, slots: shown, notifications } : shown[0];
};

test("threads for long calls answer calls that only read the store, and batches of them", async () => {
  expect(await answer(call("node_getBlocks", [1, 50], "a"))).toEqual({
    status: 200,
    body: { jsonrpc: "2.0", id: "a", result: [] },
  });
  const leaves = Array.from({ length: 100 }, (_, i) => `0x${i.toString(16)}`);
  const found = await answer([
    call("node_findLeavesIndexes", ["latest", 1, leaves]),
    call("node_getBlocks", [1, 1], 2),
  ]);
  const slots = [
    { id: 1, result: leaves.map(() => null) },
    { id: 2, result: [] },
  ].map((item) => ({ status: 200, body: { jsonrpc: "2.0", ...item } }));
  expect(found).toEqual({ isBatch: true, slots, notifications: [] });
});

test("threads for long calls see everything committed before the call", async () => {
  const position = { number: 77, hash: new Uint8Array(32), timestamp: 5 };
  for (let i = 0; i < 5; i++) {
    const before = await answer(call("node_getPublicLogs", [{}]));
    opened.store.transaction(() => opened.chain.state.putProcessed({ ...position, number: i }));
    expect(await answer(call("node_getPublicLogs", [{}]))).toEqual(before);
  }
});

test("threads for long calls refuse malformed calls and return calls of local services parsed", async () => {
  expect(await answer(call("node_getBlocks", [0, 1]))).toMatchObject({
    status: 400,
    body: { error: { code: -32701 } },
  });
  expect(await answer("nothing")).toMatchObject({ status: 400, body: { error: { code: -32700 } } });
  expect(await answer(call("svc_getPendingTxs", [0]))).toMatchObject({
    status: 400,
    body: { error: { code: -32701 } },
  });
  const pending = { namespace: "svc", name: "getPendingTxs", values: [1, undefined, { includeProof: false }] };
  expect(await answer(call("svc_getPendingTxs", [1], "x"))).toEqual({
    isBatch: false,
    slots: [{ ...pending, jsonrpc: json("2.0"), id: json("x") }],
    notifications: [],
  });
  expect(await answer([call("node_getBlocks", [1, 50], 7), { method: "node_isReady", jsonrpc: null }, 5])).toEqual({
    isBatch: true,
    slots: [
      { status: 200, body: { jsonrpc: "2.0", id: 7, result: [] } },
      { namespace: "node", name: "isReady", values: [], jsonrpc: json(null), id: undefined },
      { status: 400, body: { jsonrpc: "2.0", error: { code: -32600, message: "Invalid Request" }, id: null } },
    ],
    notifications: [1],
  });
  expect(log.entries).toEqual([]);
});

test("threads for long calls answer the calls of an array one by one", async () => {
  const calls = [
    call("node_getBlocks", [1, 50], 1),
    call("node_getBlocks", [0, 0], 2),
    call("node_getBlocks", [1, 3], 3),
  ];
  expect(await answer(calls)).toMatchObject({
    slots: [
      { body: { id: 1, result: [] } },
      { body: { id: 2, error: { code: -32701 } } },
      { body: { id: 3, result: [] } },
    ],
  });
});

const many = (count: number, client: string, signal?: AbortSignal) =>
  Array.from({ length: count }, () => pool.answer(bytes(call("node_getBlocks", [1, 50])), client, signal));

test("threads for long calls refuse a client with many waiting calls and accept others", async () => {
  const calls = Promise.allSettled(many(400, CLIENT));
  // Addresses of one network count as one client.
  const others = [...many(60, "2001:db8::1"), ...many(68, "2001:db8::2")];
  expect((await Promise.all(others)).every(({ slots: [slot] }) => "status" in slot && slot.status === 200)).toBe(true);
  const outcomes = await calls;
  const refused = outcomes.filter((outcome) => outcome.status === "rejected");
  expect(refused.length).toBeGreaterThan(100);
  for (const { reason } of refused) {
    expect(reason).toBeInstanceOf(RpcError);
    expect(reason).toMatchObject({ code: -32005, message: "The node is busy: too many long calls are waiting" });
  }
  expect(await answer(call("node_getBlocks", [1, 1]))).toMatchObject({ status: 200 });
});

test("threads for long calls serve clients in turn, however many calls one has", async () => {
  const order: string[] = [];
  const noted = (client: string) => (calls: readonly Promise<unknown>[]) =>
    calls.map((answered) => answered.then(() => order.push(client)));
  await Promise.all([...noted("many")(many(100, "192.0.2.7")), ...noted("few")(many(2, "192.0.2.8"))]);
  expect(order.indexOf("few")).toBeLessThan(4);
  expect(order.lastIndexOf("few")).toBeLessThan(8);
});

test("threads for long calls drop the waiting calls of a client that has left", async () => {
  const gone = new AbortController();
  const left = Promise.allSettled(many(100, "192.0.2.9", gone.signal));
  gone.abort();
  const outcomes = await left;
  const message = "The client did not wait for its answer";
  const dropped = outcomes.filter((outcome) => outcome.status === "rejected" && outcome.reason.message === message);
  // The call that was already running is still answered.
  expect(dropped).toHaveLength(99);
  expect(log.entries).toEqual([]);
});
