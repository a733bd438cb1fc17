import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { equal, toHex } from "../../../src/protocol/bytes.ts";
import { ARCHIVE, TREE_HEIGHTS, TREE_IDS } from "../../../src/protocol/constants.ts";
import { fr } from "../../../src/protocol/field.ts";
import { Fork } from "../../../src/world-state/fork.ts";
import { writePreimage } from "../../../src/world-state/indexed-overlay.ts";
import { insertBatchWithWitnesses } from "../../../src/world-state/witnessed-insertion.ts";
import {
  apply,
  core,
  dump,
  makeBlock,
  type OpenState,
  openState,
  type TxParts,
} from "../../world/world-state/open-state.ts";
import "../../support/soak.ts";

/** Small key spaces make rewritten slots, neighbouring keys and equal values frequent. */
const slot = fc.integer({ min: 1, max: 400 }).map(fr);
const value = fc.integer({ min: 0, max: 3 }).map(fr);
const writes = fc.array(fc.record({ leafSlot: slot, value }), { maxLength: 6 });
const txShape = fc.record({
  noteHashes: fc.integer({ min: 0, max: 3 }),
  nullifiers: fc.integer({ min: 1, max: 4 }),
  writes,
});
const blockShape = fc.record({
  txs: fc.array(txShape, { maxLength: 3 }),
  messages: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
});
type BlockShape = typeof blockShape extends fc.Arbitrary<infer T> ? T : never;

/** Nullifiers and notes that never repeat within one run, in no particular order. */
function fresh(): () => Uint8Array {
  let counter = 0n;
  return () => fr(((++counter * 0x9e3779b97f4a7c15f39cc0605cedc835n) % (1n << 200n)) + 1000n);
}

function txsOf(shape: BlockShape, next: () => Uint8Array): TxParts[] {
  return shape.txs.map(({ noteHashes, nullifiers, writes }) => ({
    noteHashes: Array.from({ length: noteHashes }, next),
    nullifiers: Array.from({ length: nullifiers }, next),
    publicDataWrites: writes.filter(({ leafSlot, value }) => !(equal(leafSlot, fr(0)) && equal(value, fr(0)))),
  }));
}

async function applyShapes(open: OpenState, shapes: BlockShape[], next: () => Uint8Array): Promise<void> {
  for (const shape of shapes) {
    const messages = shape.messages === undefined ? undefined : Array.from({ length: shape.messages }, next);
    await apply(open, [makeBlock(open.state, txsOf(shape, next), messages)]);
  }
}

const roots = (open: OpenState, block: number) =>
  TREE_IDS.map((tree) => {
    const { root, size } = open.state.snapshot(block, tree);
    return `${toHex(root)} ${size}`;
  });

/** Root that a sibling path gives for a leaf node. */
function rootOf(node: Uint8Array, index: number, path: Uint8Array): Uint8Array {
  let hash = node;
  for (let at = 0, i = index; at < path.length; at += 32, i = Math.floor(i / 2)) {
    const sibling = path.subarray(at, at + 32);
    hash = core.hash(i % 2 === 1 ? Buffer.concat([sibling, hash]) : Buffer.concat([hash, sibling]));
  }
  return hash;
}

describe("applying and unwinding", () => {
  test("unwinding applied blocks leaves every row of every table as it was before them", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(blockShape, { minLength: 1, maxLength: 4 }),
        fc.array(blockShape, { minLength: 1, maxLength: 4 }),
        async (before, after) => {
          const open = openState();
          try {
            const next = fresh();
            await applyShapes(open, before, next);
            const rows = dump(open.store);
            const { tip } = open.state.status();
            await applyShapes(open, after, next);
            open.store.transaction(() => open.state.unwindTo(tip));
            expect(dump(open.store)).toEqual(rows);
          } finally {
            await open.close();
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  test("every state stays readable as it was at the tip, through restarts and pruning", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(blockShape, { minLength: 2, maxLength: 6 }),
        fc.nat(),
        fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
        async (shapes, pruneSeed, restarts) => {
          let open = openState();
          try {
            const next = fresh();
            const seen: { roots: string[]; lows: string[] }[] = [];
            const keys = Array.from({ length: 8 }, (_, i) => fr(i * 57 + 1));
            const lows = (block: number) =>
              keys.flatMap((key) =>
                ([0, 2] as const).map((tree) => {
                  const { leaf } = open.state.lowLeaf(block, tree, key);
                  const node = new Uint8Array(tree === 0 ? 96 : 128);
                  writePreimage(leaf, node, 0);
                  const path = open.state.siblingPath(block, tree, leaf.index);
                  const { root } = open.state.snapshot(block, tree);
                  expect(toHex(rootOf(core.hash(node), leaf.index, path))).toBe(toHex(root));
                  return `${leaf.index} ${toHex(node)}`;
                }),
              );
            for (const [i, shape] of shapes.entries()) {
              await applyShapes(open, [shape], next);
              seen.push({ roots: roots(open, i + 1), lows: lows(i + 1) });
              if (restarts[i]) open = await open.reopen();
            }
            const oldest = 1 + (pruneSeed % shapes.length);
            open.store.transaction(() => {
              open.state.setFinalized(oldest);
              if (oldest > 1) open.state.pruneTo(oldest);
            });
            for (let block = 1; block <= shapes.length; block++) {
              if (block < oldest) expect(() => roots(open, block)).toThrow(`block ${block}`);
              else expect({ roots: roots(open, block), lows: lows(block) }).toEqual(seen[block - 1]);
            }
          } finally {
            await open.close();
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  test("blocks applied together, one by one, or after an unwound detour give the same rows", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(blockShape, { minLength: 1, maxLength: 4 }),
        fc.array(blockShape, { minLength: 1, maxLength: 2 }),
        async (shapes, detour) => {
          const [one, all] = [openState(), openState()];
          try {
            const blocks = [];
            const next = fresh();
            for (const shape of shapes) {
              const messages = shape.messages === undefined ? undefined : Array.from({ length: shape.messages }, next);
              const block = makeBlock(one.state, txsOf(shape, next), messages);
              blocks.push(block);
              await apply(one, [block]);
            }
            await applyShapes(all, detour, next);
            all.store.transaction(() => all.state.unwindTo(0));
            await apply(all, blocks);
            expect(dump(all.store)).toEqual(dump(one.store));
          } finally {
            await one.close();
            await all.close();
          }
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe("insertion", () => {
  test("inserting a batch equals inserting its keys one by one, in any order, including the witnesses", async () => {
    const open = openState();
    try {
      fc.assert(
        fc.property(
          fc.uniqueArray(fc.integer({ min: 128, max: 5000 }), { minLength: 1, maxLength: 20 }),
          fc.boolean(),
          (numbers, witnessed) => {
            const keys = numbers.map(fr);
            const [batch, single] = [open.state.fork(), open.state.fork()];
            if (witnessed) {
              const leaves = keys.map((key) => ({ key }));
              const { root } = batch.snapshot(0);
              const { lowLeafWitnesses } = insertBatchWithWitnesses(batch, 0, leaves, 0);
              const first = lowLeafWitnesses[0];
              const node = new Uint8Array(96);
              writePreimage(first.leaf, node, 0);
              expect(toHex(rootOf(core.hash(node), first.index, first.path))).toBe(toHex(root));
            } else {
              batch.insertNullifiers(
                keys,
                keys.map((_, i) => 128 + i),
              );
              batch.skip(0, keys.length);
            }
            for (const key of keys) single.insertOne(0, { key });
            expect(toHex(batch.snapshot(0).root)).toBe(toHex(single.snapshot(0).root));
          },
        ),
        { numRuns: 60 },
      );
    } finally {
      await open.close();
    }
  });

  test("reverting a frame of a fork restores roots, lookups and sizes", async () => {
    const open = openState();
    try {
      fc.assert(
        fc.property(
          fc.array(fc.array(fc.record({ key: slot, value }), { maxLength: 5 }), { maxLength: 5 }),
          (rounds) => {
            const fork = open.state.fork();
            const state = () => {
              const lows = Array.from({ length: 10 }, (_, i) => fork.lowLeaf(2, fr(i * 40)).leaf);
              return { lows, trees: TREE_IDS.map((tree) => fork.snapshot(tree)) };
            };
            for (const round of rounds) {
              const before = state();
              fork.openFrame();
              fork.insertSequentially(2, round);
              fork.append(
                1,
                round.map(({ key }) => key),
              );
              state();
              fork.revertFrame();
              expect(state().trees).toEqual(before.trees);
              for (const [i, leaf] of state().lows.entries()) {
                expect([leaf.index, leaf.key, leaf.value, leaf.nextKey, leaf.nextIndex]).toEqual([
                  before.lows[i].index,
                  before.lows[i].key,
                  before.lows[i].value,
                  before.lows[i].nextKey,
                  before.lows[i].nextIndex,
                ]);
              }
              fork.insertSequentially(2, round);
            }
          },
        ),
        { numRuns: 40 },
      );
    } finally {
      await open.close();
    }
  });

  test("every archive leaf has a valid sibling path at every block", async () => {
    const open = openState();
    try {
      for (let i = 0; i < 5; i++) await apply(open, [makeBlock(open.state, [], i % 2 === 0 ? [] : undefined)]);
      for (let block = 0; block <= 5; block++) {
        for (let leaf = 0; leaf <= block; leaf++) {
          const path = open.state.siblingPath(block, ARCHIVE, leaf);
          expect(path).toHaveLength(TREE_HEIGHTS[ARCHIVE] * 32);
          const node = open.state.leafAt(block, ARCHIVE, leaf);
          expect(toHex(rootOf(node, leaf, path))).toBe(toHex(open.state.snapshot(block, ARCHIVE).root));
        }
      }
      expect(open.state.fork()).toBeInstanceOf(Fork);
    } finally {
      await open.close();
    }
  });
});
