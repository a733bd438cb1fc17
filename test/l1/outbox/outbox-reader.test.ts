import { beforeEach, describe, expect, test } from "vitest";
import { JsonRpcOutboxReader } from "../../../src/l1/outbox/outbox-reader.ts";
import { L1Rpc } from "../../../src/l1/rpc/l1-rpc.ts";
import type { EpochRoot, L1Block, RollupIdentity } from "../../../src/l1/types.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { ServedRecording } from "../../world/l1/served-recording.ts";

/** Epochs of 20 seconds from second 0 on; proofs of epoch e are accepted until the end of epoch e + 1. */
const constants = { l1GenesisTime: 0, slotDuration: 10, epochDuration: 2, proofSubmissionEpochs: 1 };
const identity = {
  addresses: { outboxAddress: `0x${"0b".repeat(20)}` },
  constants,
} as unknown as RollupIdentity;

const block = (number: number, timestamp: number, branch = 0): L1Block => ({
  number,
  timestamp,
  hash: Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? branch : number & 255)),
});
const root = (byte: string) => `0x${byte.repeat(32)}`;
/** The only root, as text. */
const hex = ([told]: EpochRoot[]) => told && `0x${Buffer.from(told.root).toString("hex")}`;

/** Roots in the outbox by epoch; undefined makes the read fail. */
let stored: Map<number, string | undefined>;
/** Reads, as epoch@block. */
let reads: string[];
let finalized: L1Block | undefined;
let failFinality: boolean;

const rpc = {
  request: async ({ params, atBlock }: { params: [{ data: string }, string]; atBlock: number }) => {
    const epoch = Number(`0x${params[0].data.slice(10)}`);
    reads.push(`${epoch}@${atBlock}`);
    expect(params[1]).toBe(`0x${atBlock.toString(16)}`);
    await new Promise((resolve) => setImmediate(resolve));
    if (stored.has(epoch) && stored.get(epoch) === undefined) throw new Error("no L1");
    return stored.get(epoch) ?? root("00");
  },
} as unknown as L1Rpc;

const outbox = (capacity?: number) =>
  new JsonRpcOutboxReader({
    rpc,
    identity,
    rules: V4.l1.outbox,
    finalizedBlock: async () => {
      if (failFinality) throw new Error("no finality");
      return finalized;
    },
    logger: silentLogger,
    capacity,
  });
/** Waits until the background work after a read is done. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

beforeEach(() => {
  stored = new Map();
  reads = [];
  finalized = undefined;
  failFinality = false;
});

describe("the root of an epoch", () => {
  test("the root of an epoch is read at the given L1 block and cached for that block", async () => {
    const reader = outbox();
    stored.set(3, root("11"));
    expect(hex(await reader.roots(3, block(7, 70)))).toBe(root("11"));
    expect(hex(await reader.roots(3, block(7, 70)))).toBe(root("11"));
    expect(reads).toEqual(["3@7"]);
    stored.set(3, root("22"));
    expect(hex(await reader.roots(3, block(8, 80)))).toBe(root("22"));
    expect(reads).toEqual(["3@7", "3@8"]);
  });

  test("the root of an epoch is read again if L1 replaced the block at its height", async () => {
    const reader = outbox();
    await reader.roots(3, block(7, 70));
    await reader.roots(3, block(7, 70, 1));
    expect(reads).toEqual(["3@7", "3@7"]);
  });

  test("the root of an epoch is undefined before its proof, and that answer is not cached", async () => {
    const reader = outbox();
    finalized = block(50, 1000);
    expect(await reader.roots(3, block(60, 1100))).toEqual([]);
    await settled();
    stored.set(3, root("11"));
    expect(hex(await reader.roots(3, block(61, 1110)))).toBe(root("11"));
  });

  test("the root of an epoch is read once for concurrent requests", async () => {
    const reader = outbox();
    stored.set(3, root("11"));
    const answers = await Promise.all(Array.from({ length: 20 }, () => reader.roots(3, block(7, 70))));
    expect(new Set(answers.map(hex))).toEqual(new Set([root("11")]));
    expect(reads).toEqual(["3@7"]);
  });

  test("the root of an epoch is read again after a failure", async () => {
    const reader = outbox();
    stored.set(3, undefined);
    const both = [reader.roots(3, block(7, 70)), reader.roots(3, block(7, 70))];
    for (const failed of both) await expect(failed).rejects.toThrow("no L1");
    stored.set(3, root("11"));
    expect(hex(await reader.roots(3, block(7, 70)))).toBe(root("11"));
  });
});

describe("final roots", () => {
  // The last second in which proofs of epoch 3 are accepted is 99.
  const synced = block(20, 200);

  test("the root of an epoch is final once its proof window ended at a finalized block", async () => {
    const reader = outbox();
    stored.set(3, root("11"));
    finalized = block(10, 100);
    await reader.roots(3, synced);
    await settled();
    stored.set(3, root("22"));
    for (let i = 1; i < 5; i++) expect(hex(await reader.roots(3, block(20 + i, 200 + i)))).toBe(root("11"));
    expect(reads).toEqual(["3@20"]);
  });

  test.each([
    ["proofs were still taken at the finalized block", () => block(9, 99), synced],
    ["proofs are still taken at the synced block", () => block(9, 99), block(9, 99)],
    ["the finalized block is newer than the synced one", () => block(30, 300), synced],
    ["L1 knows no finalized block", () => undefined, synced],
  ])("the root of an epoch is not final if %s", async (_why, latest, at) => {
    const reader = outbox();
    stored.set(3, root("11"));
    finalized = latest();
    await reader.roots(3, at);
    await settled();
    stored.set(3, root("22"));
    expect(hex(await reader.roots(3, block(40, 400)))).toBe(root("22"));
  });

  test("the root of an epoch is not final if L1 does not say which block is, and that fails no request", async () => {
    const reader = outbox();
    stored.set(3, root("11"));
    failFinality = true;
    expect(hex(await reader.roots(3, synced))).toBe(root("11"));
    await settled();
    await reader.roots(3, block(21, 201));
    expect(reads).toEqual(["3@20", "3@21"]);
  });
});

test("the roots of only so many epochs are cached, those used last", async () => {
  const reader = outbox(3);
  const at = block(7, 70);
  for (const epoch of [1, 2, 3, 1, 4]) await reader.roots(epoch, at);
  reads = [];
  for (const epoch of [1, 3, 4]) await reader.roots(epoch, at);
  expect(reads).toEqual([]);
  await reader.roots(2, at);
  expect(reads).toEqual(["2@7"]);
});

test("the outbox of v5 has a root for each number of checkpoints", async () => {
  const l1 = await ServedRecording.start("chain");
  try {
    const reader = new JsonRpcOutboxReader({
      rpc: new L1Rpc({ urls: [l1.url], logger: silentLogger }),
      identity: {
        ...identity,
        addresses: { outboxAddress: "0x9d63c831188174d95338a847bc027095a2442550" },
      } as RollupIdentity,
      rules: V5.l1.outbox,
      finalizedBlock: async () => undefined,
      logger: silentLogger,
    });
    const at = block(l1.until, 0);
    const found = (await reader.roots(6, at)).map(({ root, checkpoints }) => [checkpoints, toHex(root)]);
    expect(found).toEqual([
      [1, "0x00f4251dc7f2f650d833eb92f1c016aa9eb12db13627c7b05fe90fdba9c5ff32"],
      [2, "0x00f4251dc7f2f650d833eb92f1c016aa9eb12db13627c7b05fe90fdba9c5ff32"],
      [3, "0x00c448e9964c8fd672ebb3a6910ba44920e047186b03c371c9519f29cd43caed"],
      [4, "0x00c448e9964c8fd672ebb3a6910ba44920e047186b03c371c9519f29cd43caed"],
    ]);
    expect(await reader.roots(400, at)).toEqual([]);
  } finally {
    await l1.stop();
  }
});
