import { describe, expect, test } from "vitest";
import { toHex } from "../../../src/protocol/bytes.ts";
import { checkpointOf, genesisId, svc, tip } from "../../world/rpc/development-chain.ts";
import { fakeChain, GENESIS_BLOCK, IDENTITY, wordOf } from "../../world/rpc/fakes.ts";

const P1 = { blockNumber: "7", timestamp: "1700000000", blockHash: toHex(wordOf(9)) };
const ATTESTATIONS = [
  { address: `0x${"01".repeat(20)}`, signature: `0x${"ab".repeat(65)}` },
  { address: `0x${"02".repeat(20)}`, signature: `0x${"00".repeat(65)}` },
];

const { ask } = svc();

describe("blocks", () => {
  const ALL = { includeTransactions: true, includeL1PublishInfo: true, includeAttestations: true };
  const keys = async (selector: unknown, options?: object) =>
    Object.keys((await ask("svc_getBlock", selector, options)) as object);
  const BASE = ["header", "archive", "hash", "checkpointNumber", "indexWithinCheckpoint", "number"];

  test("svc_getBlock has the parts that were asked for", async () => {
    expect(await keys(1)).toEqual(BASE);
    expect(await keys(1, {})).toEqual(BASE);
    expect(await keys(1, { includeTransactions: true, unknown: 1 })).toEqual([...BASE, "body"]);
    expect(await keys(1, { includeAttestations: true, includeL1PublishInfo: null })).toEqual([...BASE, "attestations"]);
    expect(await keys(1, ALL)).toEqual([...BASE, "body", "l1", "attestations"]);
    expect(await ask("svc_getBlock", 1, { includeTransactions: 1 })).toEqual([
      -32701,
      "Expected boolean, received number (1.includeTransactions)",
    ]);
  });

  test("a block has the L1 publication of its checkpoint, if it has one", async () => {
    expect(await ask("svc_getBlock", 1, ALL)).toMatchObject({
      archive: { root: toHex(wordOf(0x21)), nextAvailableLeafIndex: 2 },
      body: { txEffects: [] },
      l1: { published: true, ...P1 },
      attestations: ATTESTATIONS,
    });
    expect(await ask("svc_getBlock", 3, ALL)).toMatchObject({ l1: { published: false }, attestations: [] });
  });

  test("the genesis block has the archive root after genesis", async () => {
    const genesis = {
      archive: { root: toHex(IDENTITY.genesisArchiveRoot), nextAvailableLeafIndex: 1 },
      checkpointNumber: 0,
      indexWithinCheckpoint: 0,
    };
    expect(await ask("svc_getBlock", 0, ALL)).toMatchObject({ ...genesis, number: 0, body: { txEffects: [] } });
    const data = await ask("svc_getBlockData", "finalized");
    expect(data).toMatchObject({ ...genesis, blockHash: toHex(GENESIS_BLOCK.hash) });
    expect(data).not.toHaveProperty("number");
  });

  test("svc_getBlocks starts at block 1, ends at the tip, and has a lower limit with bodies", async () => {
    const numbers = async (...params: unknown[]) =>
      ((await ask("svc_getBlocks", ...params)) as { number: number }[]).map(({ number }) => number);
    expect(await numbers(1, 100)).toEqual([1, 2, 3]);
    expect(await numbers(1, 100, { onlyCheckpointed: true })).toEqual([1, 2]);
    expect(await numbers(9, 1)).toEqual([]);
    expect(await ask("svc_getBlocks", 0, 1)).toEqual([-32701, "Number must be greater than or equal to 1 (0)"]);
    expect(await ask("svc_getBlocks", 1, 101)).toEqual([-32701, "Number must be less than or equal to 100 (1)"]);
    expect(await ask("svc_getBlocks", 1, 51, { includeTransactions: true })).toEqual([
      -32701,
      "Number must be less than or equal to 50 (1)",
    ]);
    expect(await ask("svc_getBlocks", 1, 1.5)).toEqual([-32702, "BlockNumber must be an integer, got 1.5"]);
  });
});

describe("checkpoints", () => {
  const BASE = [
    "number",
    "header",
    "archive",
    "checkpointOutHash",
    "startBlock",
    "blockCount",
    "feeAssetPriceModifier",
  ];
  const one = async (options?: object) => (await ask("svc_getCheckpoint", 1, options)) as Record<string, never>;

  test("svc_getCheckpoint has the parts that were asked for, and bodies as the only option of its blocks", async () => {
    expect(Object.keys(await one())).toEqual(BASE);
    expect(Object.keys(await one({ includeTransactions: true }))).toEqual(BASE);
    const all = {
      includeBlocks: true,
      includeTransactions: true,
      includeL1PublishInfo: true,
      includeAttestations: true,
    };
    const whole = await one(all);
    expect(Object.keys(whole)).toEqual([...BASE, "blocks", "l1", "attestations"]);
    expect(whole.l1).toEqual({ published: true, ...P1 });
    const [block] = whole.blocks as unknown as Record<string, unknown>[];
    expect(block).toMatchObject({ number: 1, body: { txEffects: [] } });
    expect(block).not.toHaveProperty("l1");
    expect(whole).toMatchObject({
      feeAssetPriceModifier: "-5",
      startBlock: 1,
      blockCount: 1,
      attestations: ATTESTATIONS,
    });
  });

  test("svc_getCheckpointsData has the L1 publication without the published flag", async () => {
    expect(await ask("svc_getCheckpointsData", { from: 1, limit: 1 })).toMatchObject([
      { checkpointNumber: 1, feeAssetPriceModifier: "-5", l1: P1, attestations: ATTESTATIONS },
    ]);
  });

  test("svc_getCheckpoints has a lower limit with blocks", async () => {
    expect(await ask("svc_getCheckpoints", 1, 100)).toHaveLength(2);
    expect(await ask("svc_getCheckpoints", 1, 51, { includeBlocks: true })).toEqual([
      -32701,
      "Number must be less than or equal to 50 (1)",
    ]);
  });
});

test("svc_getChainTips gives genesis the hash of the node's own genesis block", async () => {
  const tips = (await ask("svc_getChainTips")) as Record<string, Record<string, unknown>>;
  expect(tips.finalized).toEqual({ block: { number: 0, hash: toHex(GENESIS_BLOCK.hash) }, checkpoint: genesisId });
  expect(tips.proven).toEqual(tip(1));
  expect(await ask("node_getL2Tips")).toMatchObject({ finalized: { block: genesisId } });
});

test("svc_getL1Constants gives block number and time as text", async () => {
  expect(await ask("svc_getL1Constants")).toEqual({
    ...IDENTITY.constants,
    l1StartBlock: "9",
    l1GenesisTime: "1000",
  });
});

describe("synced time", () => {
  /** Genesis at 1000 s, slots of 72 s, epochs of 32 slots, L1 blocks every 12 s. */
  const at = async (timestamp: number | undefined, latestSlot?: number) => {
    const l1Block = timestamp === undefined ? undefined : { number: 5, hash: wordOf(1), timestamp };
    const own = latestSlot === undefined ? [] : [checkpointOf(1, latestSlot)];
    const { ask: askAt } = svc({
      chain: fakeChain({ checkpoints: own }),
      sync: { lastProcessedL1Block: () => l1Block },
    });
    return [
      await askAt("svc_getSyncedL2SlotNumber"),
      await askAt("svc_getSyncedL2EpochNumber"),
      await askAt("svc_getSyncedL1Timestamp"),
    ];
  };

  test.each<[number | undefined, number | undefined, unknown[]]>([
    [undefined, undefined, [null, null, null]],
    [1000, undefined, [null, null, "1000"]],
    [1059, undefined, [null, null, "1059"]],
    [1060, undefined, [0, null, "1060"]],
    [1000 + 72 * 32 - 12, undefined, [31, 0, "3292"]],
    [1000 + 72 * 32 - 13, undefined, [30, null, "3291"]],
    [1060, 40, [40, 0, "1060"]],
    [undefined, 63, [63, 1, null]],
  ])(
    "synced slot, epoch and time with L1 at %s and the last checkpoint in slot %s",
    async (timestamp, slot, expected) => {
      expect(await at(timestamp, slot)).toEqual(expected);
    },
  );
});
