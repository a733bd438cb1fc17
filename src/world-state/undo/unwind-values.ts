import { PUBLIC_DATA_TREE } from "../../protocol/constants.ts";
import { leafBytes, readLeaf } from "../tables/leaf-row.ts";
import { historyKey, valueKey } from "../tables/row-keys.ts";
import { inSteps } from "../tables/steps.ts";
import type { WorldStateTables } from "../tables/tables.ts";
import { readVersioned, type Versioned } from "../tables/versioned.ts";
import { replacedSlots } from "./changed-rows.ts";
import type { UndoneBlock, UndoSpace } from "./undone-blocks.ts";

/** Restores the values of slots that remain, and drops their later versions. Runs after new slots are removed. */
export function restoreValues({ store, tables }: UndoSpace, blocks: readonly UndoneBlock[]): void {
  const before = blocks[0].block;
  inSteps(store, replacedSlots(blocks), ({ key, blocks }) => {
    const ended = blocks.map((block) => historyKey(key, block - 1));
    const row = tables.valueHistory.get(ended[0]);
    if (row === undefined) throw new Error("the earlier value of a slot is missing");
    const version = readVersioned(row);
    if (version.since < before) restoreValue(tables, key, version);
    for (const versionKey of ended) tables.valueHistory.remove(versionKey);
  });
}

function restoreValue(tables: WorldStateTables, slot: Uint8Array, { since, bytes }: Versioned): void {
  const key = valueKey(PUBLIC_DATA_TREE, slot);
  const row = tables.keys.get(key);
  if (row === undefined) throw new Error("the row of a slot is missing");
  tables.keys.put(key, leafBytes({ ...readLeaf(slot, row), value: bytes, since }));
}
