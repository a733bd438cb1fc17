import { expect, test } from "vitest";
import { blockRoom, roomAfter } from "../../src/checkpoints/block-room.ts";
import { fundedBuilder, tx } from "../world/checkpoints/funded-builder.ts";

const LIMITS = { rollupManaLimit: 10_000, maxTxsPerCheckpoint: 5 };

/**
 * docs/protocol/08-building-and-checkpoints.md#810-limits-of-a-block: 24,576 blob fields, minus the end words of the
 * checkpoint (1), its first block (7) and later blocks (6).
 */
test("a block has the room that the earlier blocks of its checkpoint leave", async () => {
  const { builder } = await fundedBuilder();
  const whole = { maxTxs: 5, maxGas: { l2Gas: 10_000, daGas: 786_432 }, maxBlobFields: 24_576 - 1 - 7 };
  expect(roomAfter(builder.blocks, LIMITS)).toEqual(whole);
  // Each has six fields and 1,000 L2 gas.
  await builder.buildBlock([tx(0x100), tx(0x110)], {});
  await builder.buildBlock([tx(0x120)], {});
  expect(roomAfter(builder.blocks, LIMITS)).toEqual({
    maxTxs: 2,
    maxGas: { l2Gas: 7000, daGas: 786_432 - 3 * 6 * 32 },
    maxBlobFields: 24_576 - 1 - 7 - 6 - 6 - 3 * 6,
  });
  expect(roomAfter(builder.blocks, {})).toMatchObject({
    maxTxs: Number.POSITIVE_INFINITY,
    maxGas: { l2Gas: Number.POSITIVE_INFINITY },
  });
});

test("a block's room is the smallest of all its limits", () => {
  const own = { maxTxs: 3, maxGas: { l2Gas: 4000, daGas: 5000 }, maxBlobFields: 600 };
  expect(blockRoom(own, [], LIMITS)).toEqual(own);
  expect(blockRoom({}, [], LIMITS)).toEqual(roomAfter([], LIMITS));
  expect(blockRoom(own, [], { maxTxsPerBlock: 2, maxL2BlockGas: 3000, maxDaBlockGas: 1631 })).toEqual({
    maxTxs: 2,
    maxGas: { l2Gas: 3000, daGas: 5000 },
    maxBlobFields: 50,
  });
  expect(blockRoom(own, [], { rollupManaLimit: 100, maxTxsPerCheckpoint: 1 })).toMatchObject({
    maxTxs: 1,
    maxGas: { l2Gas: 100 },
  });
});
