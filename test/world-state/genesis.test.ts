import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fromHex, toHex, word } from "../../src/protocol/bytes.ts";
import { checkpointHash } from "../../src/protocol/checkpoint-header.ts";
import { INITIAL_FEE_JUICE, TREE_IDS } from "../../src/protocol/constants.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { epochOutHash } from "../../src/protocol/sha-trees.ts";
import { genesisContent, genesisState } from "../../src/world-state/genesis.ts";
import { core, openState } from "../world/world-state/open-state.ts";

const vectors = JSON.parse(readFileSync(new URL("../fixtures/vectors/genesis.json", import.meta.url), "utf8"));

interface SlotText {
  slot: string;
  value: string;
}
interface Case {
  name: string;
  prefilledPublicData: SlotText[] | { count: number };
  error?: string;
  trees: Record<string, { root: string; size: string }>;
  headerBytes: string;
  blockHash: string;
  archiveRoot: string;
  followUpSequentialInsert?: { writes: SlotText[]; publicDataTree: object };
  emptyLowLeafQuirk?: { write: SlotText; publicDataTree: object };
}

const entries = (c: Case["prefilledPublicData"]) =>
  Array.isArray(c)
    ? c.map(({ slot, value }) => ({ slot: fromHex(slot), value: fromHex(value) }))
    : Array.from({ length: c.count }, (_, i) => {
        const slot = new Uint8Array(32);
        slot[30] = 1;
        slot[31] = i;
        return { slot, value: slot };
      });

const cases: Case[] = vectors.cases;
test.each(cases)("the genesis state is that of the vectors: $name", (given) => {
  const prefilled = entries(given.prefilledPublicData);
  if (given.error !== undefined) {
    expect(() => genesisState(core, genesisContent(V4, prefilled))).toThrow(given.error);
    return;
  }
  const { fork, header, hash } = genesisState(core, genesisContent(V4, prefilled));
  expect(toHex(header)).toBe(given.headerBytes);
  expect(toHex(hash)).toBe(given.blockHash);
  expect(toHex(fork.snapshot(4).root)).toBe(given.archiveRoot);
  const text = (tree: (typeof TREE_IDS)[number]) => {
    const { root, size } = fork.snapshot(tree);
    return { root: toHex(root), size: String(size) };
  };
  for (const tree of TREE_IDS) expect(text(tree)).toEqual(given.trees[tree]);
  const insert = ({ slot, value }: SlotText) =>
    fork.insertSequentially(2, [{ key: fromHex(slot), value: fromHex(value) }]);
  fork.openFrame();
  if (given.followUpSequentialInsert !== undefined) {
    given.followUpSequentialInsert.writes.forEach(insert);
    expect(text(2)).toEqual(given.followUpSequentialInsert.publicDataTree);
  }
  fork.revertFrame();
  if (given.emptyLowLeafQuirk !== undefined) {
    const clean = genesisState(core, genesisContent(V4, prefilled)).fork;
    const { slot, value } = given.emptyLowLeafQuirk.write;
    clean.insertSequentially(2, [{ key: fromHex(slot), value: fromHex(value) }]);
    const { root, size } = clean.snapshot(2);
    expect({ root: toHex(root), size: String(size) }).toEqual(given.emptyLowLeafQuirk.publicDataTree);
  }
});

test("the genesis trees have the published leaves, paths and constants", async () => {
  const { fork } = genesisState(core, genesisContent(V4, []));
  const paths = (path: Uint8Array) => Array.from({ length: path.length / 32 }, (_, i) => toHex(word(path, i)));
  const { nullifier, publicData, nullifierPathIndex0, publicDataPathIndex127, archivePathIndex0 } =
    vectors.defaultGenesisLeaves;
  expect(paths(fork.siblingPath(0, 0))).toEqual(nullifierPathIndex0);
  expect(paths(fork.siblingPath(2, 127))).toEqual(publicDataPathIndex127);
  expect(paths(fork.siblingPath(4, 0))).toEqual(archivePathIndex0);
  for (const { index, nullifier: key, nextKey, nextIndex } of nullifier) {
    const { leaf } = fork.lowLeaf(0, fromHex(key));
    expect([String(leaf.index), toHex(leaf.nextKey), String(leaf.nextIndex)]).toEqual([index, nextKey, nextIndex]);
  }
  for (const { index, slot, value, nextKey, nextIndex } of publicData) {
    const { leaf } = fork.lowLeaf(2, fromHex(slot));
    expect([String(leaf.index), toHex(leaf.value as Uint8Array), toHex(leaf.nextKey), String(leaf.nextIndex)]).toEqual([
      index,
      value,
      nextKey,
      nextIndex,
    ]);
  }
  expect(vectors.constants.GENESIS_BLOCK_HEADER_HASH).toBe(V4.genesis.blockHash);
  expect(vectors.constants.GENESIS_CHECKPOINT_HEADER_HASH).toBe(V4.genesis.checkpointHash);
  expect(toHex(checkpointHash(new Uint8Array(316)))).toBe(V4.genesis.checkpointHash);
  expect(toHex(epochOutHash([]))).toBe(vectors.constants.EMPTY_EPOCH_OUT_HASH);
  expect(vectors.constants.defaultInitialAccountFeeJuice).toBe(String(INITIAL_FEE_JUICE));
});

test("genesis is stored once, and other prefilled data is refused afterwards", async () => {
  let open = openState(
    entries([{ slot: `0x${"1".padStart(64, "9")}`.replace(/9/g, "1"), value: `0x${"0".repeat(63)}5` }]),
  );
  open = await open.reopen();
  await open.store.close();
  expect(() => openState([], open.path)).toThrow("other prefilled public data");
  await open.close().catch(() => undefined);
});
