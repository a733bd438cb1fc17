import { expect, test } from "vitest";
import { toHex } from "../../../src/protocol/bytes.ts";
import { TREE_IDS } from "../../../src/protocol/constants.ts";
import { fr } from "../../../src/protocol/field.ts";
import { updateStatus } from "../../../src/world-state/tables/status-row.ts";
import { openTables } from "../../../src/world-state/tables/tables.ts";
import { pruneHistory } from "../../../src/world-state/undo/prune.ts";
import { apply, dump, makeBlock, type OpenState, openState } from "../../world/world-state/open-state.ts";

const BLOCKS = 12;

/** Nullifiers at places all over the tree, and slots that blocks write again. */
async function grow(open: OpenState): Promise<void> {
  for (let block = 1; block <= BLOCKS; block++) {
    const nullifiers = Array.from({ length: 20 }, (_, i) => fr(1000 + ((block * 7919 + i * 104729) % 900_001)));
    const publicDataWrites = Array.from({ length: 10 }, (_, i) => ({
      leafSlot: fr(1000 + ((block + i * 7) % 30)),
      value: fr(block * 100 + i),
    }));
    await apply(open, [makeBlock(open.state, [{ nullifiers, publicDataWrites }], undefined)]);
  }
  open.store.transaction(() => open.state.setFinalized(BLOCKS));
}

async function grown(use: (open: OpenState) => Promise<void>): Promise<void> {
  const open = openState();
  try {
    await grow(open);
    await use(open);
  } finally {
    await open.close();
  }
}

/** Path and low leaf of some keys, which read tiles and values of every level. */
function readings(open: OpenState, block: number): string[] {
  return TREE_IDS.filter((tree) => tree === 0 || tree === 2).flatMap((tree) =>
    [1, 5_000, 400_000, 900_000].map((key) => {
      const { leaf } = open.state.lowLeaf(block, tree, fr(key));
      const path = open.state.siblingPath(block, tree, leaf.index);
      return `${leaf.index} ${leaf.nextIndex} ${leaf.value && toHex(leaf.value)} ${toHex(path)}`;
    }),
  );
}

test("pruning block by block leaves the rows that pruning at once leaves, and the states that it keeps readable", () =>
  grown((whole) =>
    grown(async (stepwise) => {
      const before = Array.from({ length: BLOCKS }, (_, i) => readings(whole, i + 1));
      whole.store.transaction(() => whole.state.pruneTo(9));
      expect(whole.state.status().oldest).toBe(9);

      const tables = openTables(stepwise.store);
      const reached: number[] = [];
      while (stepwise.state.status().oldest < 9) {
        const { oldest } = stepwise.state.status();
        stepwise.store.transaction(() => {
          const space = { store: stepwise.store, tables };
          updateStatus(tables, { oldest: pruneHistory(space, oldest, 9, { undoBytes: 2 ** 30, blocks: 2 }) });
        });
        reached.push(stepwise.state.status().oldest);
        for (let block = reached[reached.length - 1]; block <= BLOCKS; block++) {
          expect(readings(stepwise, block)).toEqual(before[block - 1]);
        }
      }
      expect(reached).toEqual([2, 4, 6, 8, 9]);
      expect(dump(stepwise.store)).toEqual(dump(whole.store));
    }),
  ));

test("a part of the history whose commit failed is there again", () =>
  grown(async (open) => {
    const before = dump(open.store);
    const fail = () =>
      open.store.transaction(() => {
        open.state.pruneTo(7);
        throw new Error("the rest of the commit fails");
      });
    expect(fail).toThrow("the rest of the commit fails");
    expect(dump(open.store)).toEqual(before);
  }));
