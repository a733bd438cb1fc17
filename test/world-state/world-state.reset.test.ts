import { expect, test } from "vitest";
import { fr } from "../../src/protocol/field.ts";
import { UnknownStateError } from "../../src/world-state/errors.ts";
import type { BlockEffects } from "../../src/world-state/types.ts";
import { apply, dump, makeBlock, openState } from "../world/world-state/open-state.ts";

async function withBlocks(count: number) {
  const open = openState([{ slot: fr(1_000_000), value: fr(5) }]);
  const blocks: BlockEffects[] = [];
  for (let i = 1; i <= count; i++) {
    const tx = {
      noteHashes: [fr(i)],
      nullifiers: [fr(5000 + i)],
      publicDataWrites: [{ leafSlot: fr(900_000), value: fr(i) }],
    };
    const block = makeBlock(open.state, [tx], [fr(7 * i)]);
    await apply(open, [block]);
    blocks.push(block);
  }
  return { ...open, blocks };
}

test("a reset store has the rows of a new one, and applying the same blocks gives the same rows", async () => {
  const open = await withBlocks(5);
  const full = dump(open.store);
  const fork = open.state.fork(3);
  const fresh = openState([{ slot: fr(1_000_000), value: fr(5) }]);
  open.store.transaction(() => open.state.setFinalized(4));
  open.store.transaction(() => open.state.pruneTo(3));
  open.store.transaction(() => open.state.reset());
  expect(dump(open.store)).toEqual(dump(fresh.store));
  expect(open.state.status()).toEqual({ tip: 0, finalized: 0, oldest: 0 });
  expect(() => fork.snapshot(0)).toThrow();
  await apply(open, open.blocks);
  expect(dump(open.store)).toEqual(full);
  await fresh.close();
  await open.close();
});

test("finalization can be lowered to the oldest kept state, and no further", async () => {
  const open = await withBlocks(5);
  open.store.transaction(() => open.state.setFinalized(4));
  open.store.transaction(() => open.state.pruneTo(2));
  expect(() => open.store.transaction(() => open.state.lowerFinalized(1))).toThrow(UnknownStateError);
  open.store.transaction(() => {
    open.state.lowerFinalized(2);
    open.state.unwindTo(2);
  });
  expect(open.state.status()).toEqual({ tip: 2, finalized: 2, oldest: 2 });
  open.store.transaction(() => open.state.lowerFinalized(3));
  expect(open.state.status().finalized).toBe(2);
  await apply(open, open.blocks.slice(2));
  expect(open.state.status().tip).toBe(5);
  await open.close();
});
