import fc from "fast-check";
import { expect, test } from "vitest";
import { concat, readBigUint, toHex } from "../../src/protocol/bytes.ts";
import { NULLIFIER_TREE, PUBLIC_DATA_TREE, TREE_IDS } from "../../src/protocol/constants.ts";
import { FR_ZERO, fr } from "../../src/protocol/field.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import type { Table } from "../../src/storage/table.ts";
import { applyBlock } from "../../src/world-state/block-batch.ts";
import { Fork } from "../../src/world-state/fork.ts";
import { BlockSealer } from "../../src/world-state/sealed-block.ts";
import { StoredState } from "../../src/world-state/stored-state.ts";
import { readLeaf } from "../../src/world-state/tables/leaf-row.ts";
import { positionKey, valueKey } from "../../src/world-state/tables/row-keys.ts";
import type { IndexedTree } from "../../src/world-state/tables/state-view.ts";
import { updateStatus } from "../../src/world-state/tables/status-row.ts";
import { openTables, WORLD_STATE_TABLES, type WorldStateTables } from "../../src/world-state/tables/tables.ts";
import { treeNodes } from "../../src/world-state/tables/tree-nodes.ts";
import { unwindBlocks } from "../../src/world-state/undo/unwind.ts";
import { writeBlocks } from "../../src/world-state/write-blocks.ts";
import { core, type OpenState, openState, txEffect } from "../world/world-state/open-state.ts";

const NODES = treeNodes(core, V4.hashing.treeNodes);

const INDEXED = [NULLIFIER_TREE, PUBLIC_DATA_TREE] as const;

/** What one transaction inserts: fresh nullifiers, and slots that may exist. */
interface Inserted {
  nullifiers: bigint[];
  slots: bigint[];
}

/**
 * Applies and stores blocks in one transaction. Only leaves are written, no nodes are hashed, because the tests read
 * only leaves.
 */
function insert({ store }: OpenState, tip: number, blocks: Inserted[][]): void {
  const tables = openTables(store);
  const fork = new Fork(core, NODES, new StoredState(tables, tip));
  const sealer = new BlockSealer(fork);
  const sealed = blocks.map((block, i) => {
    const txs = block.map(({ nullifiers, slots }) => {
      const publicDataWrites = slots.map((slot) => ({ leafSlot: fr(slot), value: fr(tip + 1 + i) }));
      return txEffect({ nullifiers: nullifiers.map(fr), publicDataWrites });
    });
    const words = { header: new Uint8Array(440), blockHash: fr(tip + i + 1), archiveRoot: FR_ZERO };
    applyBlock(fork, { ...words, txs, l1ToL2Messages: undefined });
    const snapshots = TREE_IDS.map((tree) => ({ root: FR_ZERO, size: fork.size(tree) }));
    return { ...sealer.seal(tip + 1 + i), snapshots };
  });
  store.transaction(() => {
    writeBlocks(store, tables, { blocks: sealed, tiles: [] });
    updateStatus(tables, { oldest: 1 });
  });
}

/** The keys of an indexed tree with their indexes and the last block that wrote each, without any list or tree. */
type Model = Map<bigint, { index: number; written: number }>;

interface ModelState {
  trees: Record<IndexedTree, Model>;
  sizes: Record<IndexedTree, number>;
}

const initial = (): Model => new Map(Array.from({ length: 128 }, (_, i) => [BigInt(i), { index: i, written: 0 }]));

function modelAfter(before: ModelState, block: number, txs: Inserted[]): ModelState {
  const trees = { 0: new Map(before.trees[0]), 2: new Map(before.trees[2]) };
  const sizes = { ...before.sizes };
  for (const { nullifiers, slots } of txs) {
    for (const [i, key] of nullifiers.entries()) trees[0].set(key, { index: sizes[0] + i, written: 0 });
    sizes[0] += 64;
    for (const key of slots) trees[2].set(key, { index: trees[2].get(key)?.index ?? sizes[2]++, written: block });
  }
  return { trees, sizes };
}

/** The leaf with the largest key <= `key`, by linear search. */
function modelLow(model: Model, key: bigint): Record<string, unknown> {
  let [low, next] = [0n, 0n];
  for (const other of model.keys()) if (other <= key && other > low) low = other;
  for (const other of model.keys()) if (other > low && (next === 0n || other < next)) next = other;
  const { index, written } = model.get(low)!;
  const nextIndex = model.get(next)!.index;
  return { index, key: toHex(fr(low)), nextKey: toHex(fr(next)), nextIndex, written };
}

function check({ state }: OpenState, block: number, model: ModelState, key: bigint): void {
  for (const tree of INDEXED) {
    const expected = modelLow(model.trees[tree], key);
    const { leaf, present } = state.at(block).lowLeaf(tree, fr(key));
    const written = leaf.value === undefined ? 0 : Number(readBigUint(leaf.value));
    const { index, nextIndex } = leaf;
    expect({ index, key: toHex(leaf.key), nextKey: toHex(leaf.nextKey), nextIndex, written }).toEqual(expected);
    expect(present).toBe(model.trees[tree].has(key));
    expect(state.at(block).leaf(tree, fr(key))).toEqual(present ? leaf : undefined);
  }
}

/** Keys that are spread out, close together, or in an order in which each is the low leaf of the next. */
const spread = fc.bigInt({ min: 200n, max: 1n << 250n });
const close = fc.bigInt({ min: 200n, max: 330n });
const ascending = (keys: bigint[]) => [...keys].sort((a, b) => (a < b ? -1 : 1));
const someKeys = fc.oneof(
  fc.array(spread, { maxLength: 60 }),
  fc.array(close, { maxLength: 60 }),
  fc.array(fc.oneof(spread, close), { maxLength: 60 }).map(ascending),
  fc.array(fc.oneof(spread, close), { maxLength: 60 }).map((keys) => ascending(keys).reverse()),
);
/** The keys distributed over blocks, a few each. Duplicate nullifiers are removed. */
const sequence = fc
  .tuple(someKeys, someKeys, fc.array(fc.integer({ min: 0, max: 7 }), { minLength: 12, maxLength: 12 }))
  .map(([nullifiers, slots, counts]) => {
    const fresh = [...new Set(nullifiers)];
    const rest = [...slots];
    return counts.map((count) =>
      [0, 1].map(() => ({ nullifiers: fresh.splice(0, count), slots: rest.splice(0, count) })),
    );
  });

test("a state reads as it did at the tip, whatever keys are inserted later and while blocks are unwound", () => {
  return fc.assert(
    fc.asyncProperty(
      sequence,
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 12, maxLength: 12 }),
      fc.nat(11),
      fc.array(fc.oneof(spread, close), { minLength: 1, maxLength: 4 }),
      async (blocks, together, unwound, keys) => {
        const open = openState();
        try {
          const models: ModelState[] = [{ trees: { 0: initial(), 2: initial() }, sizes: { 0: 128, 2: 128 } }];
          for (const [i, block] of blocks.entries()) models.push(modelAfter(models[i], i + 1, block));
          const grow = () => {
            for (let tip = open.state.status().tip, i = 0; tip < blocks.length; tip = open.state.status().tip, i++) {
              insert(open, tip, blocks.slice(tip, tip + together[i]));
            }
          };
          grow();
          open.store.transaction(() => {
            const space = { store: open.store, tables: openTables(open.store), nodes: NODES };
            unwindBlocks(space, blocks.length, blocks.length - unwound);
          });
          grow();
          const inserted = blocks.flat().flatMap(({ nullifiers, slots }) => [...nullifiers, ...slots]);
          for (let block = 1; block <= blocks.length; block++) {
            for (const key of [...keys, ...inserted.filter((_, i) => i % 7 === block % 7)]) {
              check(open, block, models[block], key);
              check(open, block, models[block], key - 1n);
            }
          }
        } finally {
          await open.close();
        }
      },
    ),
    { numRuns: 40 },
  );
});

/** Deterministic keys in no particular order. */
function keysInNoOrder(count: number, salt: bigint): bigint[] {
  return Array.from({ length: count }, (_, i) => {
    return readBigUint(core.hash(concat(fr(salt), fr(i))));
  });
}

/** Blocks with about 100 leaves in each of the two trees. */
function blocksOf(nullifiers: bigint[], slots: bigint[]): Inserted[][] {
  return Array.from({ length: nullifiers.length / 100 }, (_, block) =>
    [0, 1].map((tx) => {
      const from = block * 100 + tx * 50;
      return { nullifiers: nullifiers.slice(from, from + 50), slots: slots.slice(from, from + 50) };
    }),
  );
}

/** Tables that count the rows read from them. */
function counting(tables: WorldStateTables): { tables: WorldStateTables; rows: () => number } {
  let rows = 0;
  const counted = (table: Table): Table => {
    const one = <A extends unknown[], R>(read: (...args: A) => R) => {
      return (...args: A): R => {
        rows++;
        return read.apply(table, args);
      };
    };
    const each = (read: Table["range"]) =>
      function* (options: Parameters<Table["range"]>[0]) {
        for (const entry of read.call(table, options)) {
          rows++;
          yield entry;
        }
      };
    return {
      get: one(table.get),
      borrow: one(table.borrow),
      readInto: one(table.readInto),
      has: one(table.has),
      put: table.put,
      remove: table.remove,
      clear: table.clear,
      atOrAfter: one(table.atOrAfter),
      atOrBefore: one(table.atOrBefore),
      borrowAtOrBefore: one(table.borrowAtOrBefore),
      range: each(table.range),
      scan: each(table.scan),
    };
  };
  const names = Object.keys(WORLD_STATE_TABLES) as (keyof WorldStateTables)[];
  const all = Object.fromEntries(names.map((name) => [name, counted(tables[name])]));
  return { tables: all as unknown as WorldStateTables, rows: () => rows };
}

test("a lookup in an old state reads a number of rows logarithmic in the growth since", async () => {
  const leaves = 20_000;
  const open = openState();
  try {
    const blocks = blocksOf(keysInNoOrder(leaves, 1n), keysInNoOrder(leaves, 2n));
    for (let tip = 0; tip < blocks.length; tip += 20) insert(open, tip, blocks.slice(tip, tip + 20));
    const { tables, rows } = counting(openTables(open.store));
    const keys = keysInNoOrder(400, 3n).map(fr);
    const perLookup = (block: number, tree: IndexedTree) => {
      const state = new StoredState(tables, block);
      const before = rows();
      let most = 0;
      for (const key of keys) {
        const start = rows();
        expect(state.lowLeaf(tree, key)).toBeDefined();
        most = Math.max(most, rows() - start);
      }
      return { mean: (rows() - before) / keys.length, most };
    };
    for (const tree of INDEXED) {
      for (let block = 1; block <= 5; block++) {
        const { mean, most } = perLookup(block, tree);
        const growth = Math.log2(leaves / (block * 100));
        expect(mean).toBeLessThan(2 + 4 * growth);
        expect(most).toBeLessThan(2 + 12 * growth);
      }
      expect(perLookup(blocks.length, tree)).toEqual({ mean: 1, most: 1 });
    }
  } finally {
    await open.close();
  }
});

test.each([
  ["ascending", (keys: bigint[]) => ascending(keys)],
  ["descending", (keys: bigint[]) => ascending(keys).reverse()],
])("a lookup among keys in %s order costs a step for each block, not for each leaf", async (_, order) => {
  const open = openState();
  try {
    const keys = order(keysInNoOrder(4000, 4n));
    const blocks = blocksOf(keys, keys);
    insert(open, 0, blocks);
    const { tables, rows } = counting(openTables(open.store));
    const state = new StoredState(tables, 1);
    for (const tree of INDEXED) {
      for (const key of [keys[99], keys[2000], keys[3999]]) {
        const before = rows();
        expect(state.lowLeaf(tree, fr(key))).toBeDefined();
        expect(rows() - before).toBeLessThan(4 * blocks.length);
      }
    }
  } finally {
    await open.close();
  }
});

test("a leaf keeps the neighbours from before its block when later blocks insert keys between them", async () => {
  const open = openState();
  try {
    const inserts = (keys: bigint[]): Inserted[] => [{ nullifiers: keys, slots: keys }];
    insert(open, 0, [inserts([1000n, 3000n, 2000n]), inserts([1500n, 2500n, 2400n]), inserts([1400n, 1600n, 2450n])]);
    const tables = openTables(open.store);
    for (const tree of INDEXED) {
      const neighbours = (key: bigint) => {
        const row = tables.keys.get(valueKey(tree, fr(key)))!;
        const { lowBefore, nextBefore } = readLeaf(fr(key), row);
        return [lowBefore, nextBefore].map((index) => {
          return readBigUint(tables.leaves.get(positionKey(tree, index))!);
        });
      };
      for (const key of [1000n, 2000n, 3000n]) expect(neighbours(key)).toEqual([127n, 0n]);
      expect(neighbours(1500n)).toEqual([1000n, 2000n]);
      for (const key of [2400n, 2500n]) expect(neighbours(key)).toEqual([2000n, 3000n]);
      expect([neighbours(1400n), neighbours(1600n)]).toEqual([
        [1000n, 1500n],
        [1500n, 2000n],
      ]);
      expect(neighbours(2450n)).toEqual([2400n, 2500n]);
    }
  } finally {
    await open.close();
  }
});
