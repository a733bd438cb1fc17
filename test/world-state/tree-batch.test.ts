import { setImmediate, setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CorePool } from "../../src/core/pool.ts";
import { hashChain } from "../../src/core/tile-chain.ts";
import { fr } from "../../src/protocol/field.ts";
import type { TileHasher } from "../../src/world-state/tree-batch.ts";
import type { BlockEffects } from "../../src/world-state/types.ts";
import {
  apply,
  core,
  dump,
  makeBlock,
  type OpenState,
  openState,
  type TxParts,
} from "../world/world-state/open-state.ts";

/** Values that never repeat within one run, in no particular order. */
function fresh(): () => Uint8Array {
  let counter = 0n;
  return () => fr(((++counter * 0x9e3779b97f4a7c15f39cc0605cedc835n) % (1n << 200n)) + 1000n);
}

const many = (count: number, next: () => Uint8Array) => Array.from({ length: count }, next);

/**
 * Txs for blocks that are large enough to be split. The low leaves of the nullifiers are spread over all earlier
 * leaves.
 */
function txsOf(nullifiers: number, slots: number, next: () => Uint8Array): TxParts[] {
  return Array.from({ length: Math.ceil(nullifiers / 60) }, (_, i) => ({
    noteHashes: many(5, next),
    nullifiers: many(Math.min(60, nullifiers - i * 60), next),
    publicDataWrites: Array.from({ length: slots }, (_, k) => ({
      leafSlot: fr(1000 + ((i * 7919 + k * 104729) % 300)),
      value: next(),
    })),
  }));
}

/** Blocks of one chain, each made on top of the ones before. */
async function chainOf(
  sizes: { nullifiers: number; slots: number }[],
): Promise<{ blocks: BlockEffects[]; rows: object }> {
  const open = openState();
  try {
    const next = fresh();
    const blocks: BlockEffects[] = [];
    for (const { nullifiers, slots } of sizes) {
      const block = makeBlock(open.state, txsOf(nullifiers, slots, next), many(3, next));
      blocks.push(block);
      await apply(open, [block]);
    }
    return { blocks, rows: dump(open.store) };
  } finally {
    await open.close();
  }
}

async function withState<T>(hasher: TileHasher | undefined, use: (open: OpenState) => Promise<T>): Promise<T> {
  const open = openState([], undefined, hasher);
  try {
    return await use(open);
  } finally {
    await open.close();
  }
}

/** Threads that finish in the given order. */
function unordered(delays: number[]): TileHasher {
  let calls = 0;
  return {
    hashTiles: async (chain) => {
      for (let turns = delays[calls++ % delays.length]; turns > 0; turns--) await setImmediate();
      return hashChain(core, chain);
    },
  };
}

describe("a batch of blocks", () => {
  test("a batch of blocks gives the same rows however its work is split and whichever part is done first", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ nullifiers: fc.integer({ min: 1, max: 250 }), slots: fc.nat(20) }), {
          minLength: 1,
          maxLength: 4,
        }),
        fc.array(fc.nat(6), { minLength: 1, maxLength: 8 }),
        fc.nat(4),
        async (sizes, delays, cut) => {
          const { blocks, rows } = await chainOf(sizes);
          await withState(unordered(delays), async (open) => {
            await apply(open, blocks.slice(0, Math.max(1, cut)));
            if (cut > 0 && cut < blocks.length) await apply(open, blocks.slice(cut));
            if (cut === 0 && blocks.length > 1) await apply(open, blocks.slice(1));
            expect(dump(open.store)).toEqual(rows);
          });
        },
      ),
      { numRuns: 8 },
    );
  });

  test("a batch of blocks gives the same rows on any number of threads", async () => {
    const { blocks, rows } = await chainOf([
      { nullifiers: 500, slots: 30 },
      { nullifiers: 1, slots: 0 },
      { nullifiers: 1100, slots: 10 },
      { nullifiers: 90, slots: 60 },
    ]);
    for (const size of [1, 2, 3]) {
      const pool = new CorePool({ size });
      try {
        await withState(pool, async (open) => {
          await apply(open, blocks);
          expect(dump(open.store)).toEqual(rows);
        });
      } finally {
        await pool.close();
      }
    }
  });
});

test("a failing thread rejects the blocks only when nothing runs any more, and the state is unchanged", async () => {
  const { blocks, rows } = await chainOf([
    { nullifiers: 500, slots: 30 },
    { nullifiers: 700, slots: 10 },
    { nullifiers: 100, slots: 10 },
  ]);
  let [calls, running, failing] = [0, 0, 0];
  const hasher: TileHasher = {
    hashTiles: async (chain) => {
      running++;
      try {
        if (++calls === failing) throw new Error("the thread has gone");
        await setTimeout(5);
        return hashChain(core, chain);
      } finally {
        running--;
      }
    },
  };
  await withState(hasher, async (open) => {
    const before = dump(open.store);
    for (failing = 1; failing <= 9; failing += 4) {
      calls = 0;
      await expect(open.state.prepare(blocks)).rejects.toThrow("the thread has gone");
      expect(running).toBe(0);
      expect(dump(open.store)).toEqual(before);
    }
    failing = 0;
    await apply(open, blocks);
    expect(dump(open.store)).toEqual(rows);
  });
});
