import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { hashChain } from "../../src/core/tile-chain.ts";
import { MAX_NULLIFIERS_PER_TX } from "../../src/protocol/constants.ts";
import { fr } from "../../src/protocol/field.ts";
import { applyInParts, cutIntoParts } from "../../src/world-state/apply-in-parts.ts";
import type { TileHasher } from "../../src/world-state/tree-batch.ts";
import type { BlockEffects } from "../../src/world-state/types.ts";
import { apply, core, dump, makeBlock, type OpenState, openState } from "../world/world-state/open-state.ts";

/** Hashes as another thread does: it finishes some turns later. */
const later: TileHasher = {
  hashTiles: async (chain) => {
    for (let turns = chain.jobs[0].tileCount % 3; turns >= 0; turns--) await setImmediate();
    return hashChain(core, chain);
  },
};

const blockShape = fc.record({
  nullifiers: fc.integer({ min: 0, max: 50 }),
  slots: fc.array(fc.record({ slot: fc.integer({ min: 1, max: 300 }), value: fc.integer({ min: 0, max: 3 }) }), {
    maxLength: 12,
  }),
  notes: fc.integer({ min: 0, max: 3 }),
});
type BlockShape = typeof blockShape extends fc.Arbitrary<infer T> ? T : never;

/** Applies made-up blocks one by one. All blocks have the same notes. */
async function oneByOne(open: OpenState, shapes: BlockShape[]): Promise<BlockEffects[]> {
  let counter = 0n;
  const fresh = () => fr(((++counter * 0x9e3779b97f4a7c15f39cc0605cedc835n) % (1n << 200n)) + 1000n);
  const blocks: BlockEffects[] = [];
  for (const { nullifiers, slots, notes } of shapes) {
    const tx = {
      noteHashes: Array.from({ length: notes }, (_, i) => fr(1 + i)),
      nullifiers: Array.from({ length: Math.min(nullifiers, MAX_NULLIFIERS_PER_TX) }, fresh),
      publicDataWrites: slots.map(({ slot, value }) => ({ leafSlot: fr(200 + slot), value: fr(value) })),
    };
    const txs = [tx];
    for (let left = nullifiers - MAX_NULLIFIERS_PER_TX; left > 0; left -= MAX_NULLIFIERS_PER_TX) {
      const length = Math.min(left, MAX_NULLIFIERS_PER_TX);
      txs.push({ noteHashes: [], nullifiers: Array.from({ length }, fresh), publicDataWrites: [] });
    }
    const block = makeBlock(open.state, txs, undefined);
    await apply(open, [block]);
    blocks.push(block);
  }
  return blocks;
}

const eachAtomic = (blocks: BlockEffects[]) => blocks.map((block) => ({ effects: [block] }));

/** Finalizes the tip and drops every state before it. */
function settle({ state }: OpenState): void {
  const { tip, oldest } = state.status();
  state.setFinalized(tip);
  if (tip > oldest) state.pruneTo(tip);
}

test("blocks applied in parts give the rows of blocks applied one by one, with each part's history dropped or kept", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(blockShape, { minLength: 1, maxLength: 7 }),
      fc.integer({ min: 1, max: 150 }),
      fc.boolean(),
      async (shapes, leavesPerPart, pruned) => {
        const [one, parts] = [openState(), openState([], undefined, later)];
        try {
          const blocks = await oneByOne(one, shapes);
          if (pruned) one.store.transaction(() => settle(one));
          await applyInParts(parts.state, cutIntoParts(eachAtomic(blocks), leavesPerPart), (_, prepared) => {
            parts.store.transaction(() => {
              if (prepared !== undefined) parts.state.write(prepared);
              if (pruned) settle(parts);
            });
          });
          expect(dump(parts.store)).toEqual(dump(one.store));
        } finally {
          await one.close();
          await parts.close();
        }
      },
    ),
    { numRuns: 40 },
  );
});

test("blocks applied in parts give the same rows if a part is committed while blocks of the next one wait to be hashed", async () => {
  const [one, parts] = [openState(), openState([], undefined, later)];
  try {
    // The first part is committed when the first two blocks of the second part have been given to the threads.
    const slots = Array.from({ length: 10 }, (_, slot) => ({ slot: 1 + slot, value: 1 }));
    const blocks = await oneByOne(
      one,
      Array.from({ length: 4 }, (_, i) => ({ nullifiers: 1_100, notes: 2, slots: slots.slice(i) })),
    );
    one.store.transaction(() => settle(one));
    const commits: number[] = [];
    const [first, ...others] = eachAtomic(blocks);
    await applyInParts(parts.state, [[first], others], (_, prepared) => {
      if (prepared === undefined) return;
      commits.push(prepared.last);
      parts.store.transaction(() => {
        parts.state.write(prepared);
        settle(parts);
      });
    });
    expect(commits).toEqual([1, 4]);
    expect(dump(parts.store)).toEqual(dump(one.store));
  } finally {
    await one.close();
    await parts.close();
  }
});

const four = [10, 60, 60, 60].map((nullifiers) => ({ nullifiers, slots: [], notes: 1 }));

test("if a part fails, the blocks before it are committed and nothing keeps running", async () => {
  const [one, parts] = [openState(), openState([], undefined, later)];
  try {
    const blocks = await oneByOne(one, four);
    const failing = blocks.with(2, { ...blocks[2], archiveRoot: fr(7) });
    const commits: number[] = [];
    const applied = applyInParts(parts.state, cutIntoParts(eachAtomic(failing), 1), (_, prepared) => {
      if (prepared === undefined) return;
      parts.store.transaction(() => parts.state.write(prepared));
      commits.push(prepared.last);
    });
    await expect(applied).rejects.toThrow("block 3");
    expect(commits).toEqual([1, 2]);
    await apply(parts, blocks.slice(2));
    expect(dump(parts.store)).toEqual(dump(one.store));
  } finally {
    await one.close();
    await parts.close();
  }
});

test("applying stops at a failing commit, while the next part is hashed", async () => {
  const [one, parts] = [openState(), openState([], undefined, later)];
  try {
    const blocks = await oneByOne(one, four);
    let commits = 0;
    const applied = applyInParts(parts.state, cutIntoParts(eachAtomic(blocks), 1), (_, prepared) => {
      parts.store.transaction(() => {
        if (prepared !== undefined) parts.state.write(prepared);
        if (++commits === 2) throw new Error("the disk is full");
      });
    });
    await expect(applied).rejects.toThrow("the disk is full");
    expect(parts.state.status().tip).toBe(1);
    await apply(parts, blocks.slice(1));
    expect(dump(parts.store)).toEqual(dump(one.store));
  } finally {
    await one.close();
    await parts.close();
  }
});

test("blocks can be prepared only on top of the last prepared ones, and only while the chain below does not change", async () => {
  const [one, parts] = [openState(), openState()];
  try {
    const blocks = await oneByOne(one, four);
    const { state, store } = parts;
    const first = state.begin(blocks.slice(0, 1));
    const second = state.begin(blocks.slice(1, 2), first);
    expect(() => state.begin(blocks.slice(2, 3), first)).toThrow("on top of blocks 1 to 1");
    expect(() => state.begin(blocks.slice(3, 4), second)).toThrow("block 4 does not follow block 2");
    const prepared = [await first.hashed, await second.hashed];
    expect(() => store.transaction(() => state.write(prepared[1]))).toThrow("block 2 does not follow block 0");
    store.transaction(() => state.write(prepared[0]));
    store.transaction(() => state.write(prepared[1]));
    const third = state.begin(blocks.slice(2, 3), second);
    await third.hashed;
    store.transaction(() => state.unwindTo(1));
    expect(() => state.begin(blocks.slice(3, 4), third)).toThrow("on top of blocks 3 to 3");
  } finally {
    await one.close();
    await parts.close();
  }
});

test("blocks are grouped into parts that change enough leaves", async () => {
  const one = openState();
  try {
    const all = eachAtomic(await oneByOne(one, four));
    const lengths = (leaves: number) => cutIntoParts(all, leaves).map((part) => part.length);
    expect(lengths(1)).toEqual([1, 1, 1, 1]);
    expect(lengths(22)).toEqual([2, 1, 1]);
    expect(lengths(10_000)).toEqual([4]);
    expect(cutIntoParts([])).toEqual([]);
  } finally {
    await one.close();
  }
});
