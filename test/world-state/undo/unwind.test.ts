import { expect, test } from "vitest";
import { fr } from "../../../src/protocol/field.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { openTables } from "../../../src/world-state/tables/tables.ts";
import { treeNodes } from "../../../src/world-state/tables/tree-nodes.ts";
import { unwindBlocks } from "../../../src/world-state/undo/unwind.ts";
import {
  apply,
  core,
  dump,
  makeBlock,
  type OpenState,
  openState,
  type TxParts,
} from "../../world/world-state/open-state.ts";

/** Values that never repeat within one run, in no particular order. */
function fresh(): () => Uint8Array {
  let counter = 0n;
  return () => fr(((++counter * 0x9e3779b97f4a7c15f39cc0605cedc835n) % (1n << 200n)) + 1000n);
}

const many = (count: number, next: () => Uint8Array) => Array.from({ length: count }, next);

/** Blocks that change more rows than a nested transaction has, and slots that most of them write again. */
async function grow(open: OpenState, blocks: number, next: () => Uint8Array): Promise<void> {
  for (let i = 0; i < blocks; i++) {
    const txs = Array.from(
      { length: 6 },
      (_, tx): TxParts => ({
        // The same note hashes in every block: lookups find those of the latest.
        noteHashes: [fr(77), fr(78 + tx), ...many(20, next)],
        nullifiers: many(60, next),
        publicDataWrites: Array.from({ length: 40 }, (_, k) => ({
          leafSlot: fr(1000 + ((i * 7919 + tx * 104729 + k * 1299709) % 900)),
          value: next(),
        })),
      }),
    );
    await apply(open, [makeBlock(open.state, txs, many(30, next))]);
  }
}

test.each([
  ["all together", undefined],
  ["a few at a time", { undoBytes: 2 ** 30, blocks: 4 }],
  ["as many as a bound of bytes allows", { undoBytes: 12_000, blocks: 1024 }],
])("unwinding many large blocks leaves every row as it was before them, %s", async (_, most) => {
  const open = openState();
  try {
    const next = fresh();
    await grow(open, 12, next);
    const before = dump(open.store);
    await grow(open, 18, next);
    const space = { store: open.store, tables: openTables(open.store), nodes: treeNodes(core, V4.hashing.treeNodes) };
    open.store.transaction(() => unwindBlocks(space, 30, 12, most));
    expect(dump(open.store)).toEqual(before);
  } finally {
    await open.close();
  }
});

test("unwinding many large blocks can be undone by the transaction around it", async () => {
  const open = openState();
  try {
    await grow(open, 12, fresh());
    const before = dump(open.store);
    expect(() =>
      open.store.transaction(() => {
        open.state.unwindTo(2);
        throw new Error("the rest of the commit fails");
      }),
    ).toThrow("the rest of the commit fails");
    expect(dump(open.store)).toEqual(before);
  } finally {
    await open.close();
  }
});
