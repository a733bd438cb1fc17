import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadCore } from "../../src/core/load-core.ts";
import { CorePool } from "../../src/core/pool.ts";
import { type ChainServices, openChainServices } from "../../src/node/chain-services.ts";
import { RpcError } from "../../src/rpc/jsonrpc/errors.ts";
import { LongCallPool } from "../../src/rpc/threads/long-call-pool.ts";
import { IDENTITY, recordingLogger } from "../rpc/support/fakes.ts";

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
    { reads, namespaces: ["svc", "node"], maxBatchSize: 10, maxAnswerBytes: 1 << 20 },
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
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const read = (body: Uint8Array) => JSON.parse(Buffer.from(body).toString());
const answer = async (value: unknown) => {
  const answered = await pool.answer(bytes(value));
  return answered && { status: answered.status, body: read(answered.body) };
};

describe("threads for long calls", () => {
  test("answer what reads the store alone, and batches of it", async () => {
    expect(await answer(call("node_getBlocks", [1, 50], "a"))).toEqual({
      status: 200,
      body: { jsonrpc: "2.0", id: "a", result: [] },
    });
    const leaves = Array.from({ length: 100 }, (_, i) => `0x${i.toString(16)}`);
    const found = await answer([
      call("node_findLeavesIndexes", ["latest", 1, leaves]),
      call("node_getBlocks", [1, 1], 2),
    ]);
    expect(found?.body).toMatchObject([{ id: 1 }, { id: 2, result: [] }]);
    expect(found?.body[0]).toEqual({ jsonrpc: "2.0", id: 1, result: leaves.map(() => null) });
  });

  test("see what was committed before they were asked", async () => {
    const position = { number: 77, hash: new Uint8Array(32), timestamp: 5 };
    for (let i = 0; i < 5; i++) {
      const before = await answer(call("node_getPublicLogs", [{}]));
      opened.store.transaction(() => opened.chain.state.putProcessed({ ...position, number: i }));
      expect(await answer(call("node_getPublicLogs", [{}]))).toEqual(before);
    }
  });

  test("refuse what is wrong, and leave good calls of the node's services to it", async () => {
    expect(await answer(call("node_getBlocks", [0, 1]))).toMatchObject({
      status: 400,
      body: { error: { code: -32701 } },
    });
    expect(await answer("nothing")).toMatchObject({ status: 400, body: { error: { code: -32700 } } });
    expect(await answer(call("svc_getPendingTxs", [0]))).toMatchObject({
      status: 400,
      body: { error: { code: -32701 } },
    });
    expect(await answer(call("svc_getPendingTxs", [1]))).toBeUndefined();
    expect(await answer([call("node_getBlocks", [1, 50]), call("node_isReady", [])])).toBeUndefined();
    expect(log.entries).toEqual([]);
  });

  test("give the answers of an array one by one", async () => {
    const calls = [
      call("node_getBlocks", [1, 50], 1),
      call("node_getBlocks", [0, 0], 2),
      call("node_getBlocks", [1, 3], 3),
    ];
    const bodies = await pool.answerEach(bytes(calls));
    expect(bodies.map(read)).toMatchObject([
      { id: 1, result: [] },
      { id: 2, error: { code: -32701 } },
      { id: 3, result: [] },
    ]);
  });

  test("refuse a call when many wait", async () => {
    const calls = Array.from({ length: 400 }, () => pool.answer(bytes(call("node_getBlocks", [1, 50]))));
    const outcomes = await Promise.allSettled(calls);
    const refused = outcomes.filter((outcome) => outcome.status === "rejected");
    expect(refused.length).toBeGreaterThan(100);
    for (const { reason } of refused) {
      expect(reason).toBeInstanceOf(RpcError);
      expect(reason).toMatchObject({ code: -32005, message: "The node is busy: too many long calls are waiting" });
    }
    expect((await answer(call("node_getBlocks", [1, 1])))?.status).toBe(200);
  });
});
