import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { concat, fromHex, toHex, word } from "../../src/protocol/bytes.ts";
import { TREE_IDS, type TreeId } from "../../src/protocol/constants.ts";
import type { BlockEffects } from "../../src/world-state/types.ts";
import { apply, fields, type OpenState, openState, txEffect } from "../world/world-state/open-state.ts";

const vectors = JSON.parse(readFileSync(new URL("../fixtures/vectors/trees.json", import.meta.url), "utf8"));

interface BlockVector {
  blockNumber: number;
  indexWithinCheckpoint: number;
  /** A list, or the text of a range. */
  l1ToL2Messages: string[] | string;
  txs: { noteHashes: string[]; nullifiers: string[]; publicDataWrites: { leafSlot: string; value: string }[] }[];
  headerBytes?: string;
  headerFields: string[];
  blockHash: string;
}
type TreesText = Record<string, { root: string; size: string }>;

let open: OpenState;
beforeEach(() => {
  open = openState();
});
afterEach(() => open.close());

const WIDTHS = [32, 4, 32, 4, 32, 4, 32, 4, 32, 4, 32, 32, 32, 4, 4, 8, 20, 32, 16, 16, 32, 32];
const headerOfFields = (texts: string[]) => concat(...texts.map((text, i) => fromHex(text).subarray(32 - WIDTHS[i])));

function effects(block: BlockVector, archiveRoot: string): BlockEffects {
  return {
    header: block.headerBytes === undefined ? headerOfFields(block.headerFields) : fromHex(block.headerBytes),
    blockHash: fromHex(block.blockHash),
    archiveRoot: fromHex(archiveRoot),
    txs: block.txs.map((tx) =>
      txEffect({
        noteHashes: tx.noteHashes.map(fromHex),
        nullifiers: tx.nullifiers.map(fromHex),
        publicDataWrites: tx.publicDataWrites.map((w) => ({ leafSlot: fromHex(w.leafSlot), value: fromHex(w.value) })),
      }),
    ),
    l1ToL2Messages: block.indexWithinCheckpoint === 0 ? fields([block.l1ToL2Messages].flat()) : undefined,
  };
}

const allBlocks: BlockEffects[] = vectors.blockSync.blocks.map((b: BlockVector & { trees: TreesText }) =>
  effects(b, b.trees[4].root),
);

const trees = (block: number): TreesText =>
  Object.fromEntries(
    TREE_IDS.map((tree) => {
      const { root, size } = open.state.snapshot(block, tree);
      return [tree, { root: toHex(root), size: String(size) }];
    }),
  );
const paths = (path: Uint8Array) => Array.from({ length: path.length / 32 }, (_, i) => toHex(word(path, i)));
const status = () => {
  const { tip, finalized, oldest } = open.state.status();
  return {
    unfinalizedBlockNumber: tip,
    finalizedBlockNumber: finalized,
    oldestHistoricalBlock: oldest,
    treesAreSynched: true,
  };
};

/** The vectors read a public data leaf as slot and value. */
function leafRead(tree: TreeId, index: number): Uint8Array {
  const leaf = open.state.leafAt(6, tree, index);
  if (tree !== 2) return leaf;
  const low = open.state.lowLeaf(6, 2, leaf);
  return concat(leaf, low.leaf.index === index ? (low.leaf.value as Uint8Array) : new Uint8Array(32));
}

function checkTip(): void {
  for (const { treeId, index, path } of vectors.blockSync.siblingPathsAtTip) {
    expect(paths(open.state.siblingPath(6, treeId, Number(index)))).toEqual(path);
  }
  for (const { at, treeId, values, indices, blockNumbersOfFound } of vectors.blockSync.lookups) {
    const block = at === "latest" ? 6 : at;
    const found = values.map((value: string) => open.state.findLeaf(block, treeId, fromHex(value)));
    expect(found.map((p: number | undefined) => (p === undefined ? null : String(p)))).toEqual(indices);
    const known = found.filter((p: number | undefined) => p !== undefined);
    expect(known.map((p: number) => open.state.blockOfLeaf(treeId, p))).toEqual(blockNumbersOfFound);
  }
  for (const { treeId, index, value } of vectors.blockSync.leafReads) {
    expect(toHex(leafRead(treeId, Number(index)))).toBe(value);
  }
  for (const { block, archivePathOfLeaf0 } of vectors.blockSync.historicalSnapshots) {
    expect(paths(open.state.siblingPath(block, 4, 0))).toEqual(archivePathOfLeaf0);
  }
  for (const { blockNumber, trees: expected } of vectors.blockSync.blocks) expect(trees(blockNumber)).toEqual(expected);
}

describe("applying blocks", () => {
  test("the world state starts from genesis", () => {
    expect(trees(0)).toEqual(vectors.blockSync.genesisTrees);
    expect(toHex(open.state.genesisBlockHash())).toBe(vectors.blockSync.genesisHash);
  });

  test("applying blocks gives the network's roots, paths and lookups, block by block", async () => {
    for (const [i, block] of allBlocks.entries()) {
      await apply(open, [block]);
      expect(trees(i + 1)).toEqual(vectors.blockSync.blocks[i].trees);
      expect(status()).toEqual(vectors.blockSync.blocks[i].status);
    }
    checkTip();
  });

  test("applying all blocks in one transaction gives the network's roots, paths and lookups", async () => {
    await apply(open, allBlocks);
    checkTip();
  });

  test("applying blocks with a restart between any two gives the network's roots, paths and lookups", async () => {
    for (const block of allBlocks) {
      await apply(open, [block]);
      open = await open.reopen();
    }
    checkTip();
  });
});

test("frames of a fork nest, commit and revert as the network's fork checkpoints do", async () => {
  await apply(open, allBlocks);
  const fork = open.state.fork();
  const note = (n: number) => fork.append(1, [fromHex(`0x${n.toString(16).padStart(64, "0")}`)]);
  const nullifier = (n: number) =>
    fork.insertSequentially(0, [{ key: fromHex(`0x${n.toString(16).padStart(64, "0")}`) }]);
  const operations: Record<string, () => unknown> = {
    start: () => undefined,
    createCheckpoint: () => fork.openFrame(),
    "append note 1": () => note(1),
    "append note 2": () => note(2),
    "sequentialInsert nullifier 999": () => nullifier(999),
    "sequentialInsert nullifier 998": () => nullifier(998),
    revertCheckpoint: () => fork.revertFrame(),
    commitCheckpoint: () => fork.commitFrame(),
    "createCheckpoint x2": () => {
      fork.openFrame();
      return fork.openFrame();
    },
    "revertAllCheckpointsTo(0)": () => fork.revertFramesTo(0),
    "commitCheckpoint with no open checkpoint": () => fork.commitFrame(),
    "revertCheckpoint with no open checkpoint": () => fork.revertFrame(),
    "revertAllCheckpointsTo(0) with no open checkpoint": () => fork.revertFramesTo(0),
  };
  const snapshot = (tree: TreeId) => {
    const { root, size } = fork.snapshot(tree);
    return { root: toHex(root), size: String(size) };
  };
  for (const step of vectors.forkCheckpoints) {
    const operation = operations[step.op];
    expect(operation, step.op).toBeDefined();
    if (step.result !== undefined) {
      expect(operation, step.op).toThrow(step.result);
      continue;
    }
    const depth = operation();
    if (step.depthReturned) expect(depth).toBe(step.depthReturned);
    expect(snapshot(1), step.op).toEqual(step.noteHashTree);
    expect(snapshot(0), step.op).toEqual(step.nullifierTree);
  }
});

test("the world state unwinds, finalizes and prunes as the network does", async () => {
  await apply(open, allBlocks);
  const [forkAt2, forkAt6] = [open.state.fork(2), open.state.fork(6)];
  const write = (work: () => void) => open.store.transaction(work);
  const operations: Record<string, () => void | Promise<void>> = {
    "setFinalized(0)": () => write(() => open.state.setFinalized(0)),
    "unwindBlocks(6)": () => write(() => open.state.unwindTo(6)),
    "unwindBlocks(4)": () => write(() => open.state.unwindTo(4)),
    "setFinalized(3)": () => write(() => open.state.setFinalized(3)),
    "setFinalized(2) (already finalized: no change)": () => write(() => open.state.setFinalized(2)),
    "unwindBlocks(2) (below finalized)": () => write(() => open.state.unwindTo(2)),
    "setFinalized(9) (beyond tip)": () => write(() => open.state.setFinalized(9)),
    "removeHistoricalBlocks(1) (nothing older)": () => write(() => open.state.pruneTo(1)),
    "removeHistoricalBlocks(3)": () => write(() => open.state.pruneTo(3)),
    "removeHistoricalBlocks(4) (finalized is 3)": () => write(() => open.state.pruneTo(4)),
  };
  const notes: Record<string, (step: { result: string; queries: { block: number; result: string }[] }) => void> = {
    "fork created at block 2 after unwinding to 4": () => expect(() => forkAt2.size(0)).not.toThrow(),
    "fork created at block 6 after unwinding to 4": ({ result }) => expect(() => forkAt6.size(0)).toThrow(result),
    "nullifier of an unwound block is no longer found": () =>
      expect(open.state.findLeaf(4, 0, allBlocks[5].txs[0].nullifiers.subarray(0, 32))).toBeUndefined(),
    "snapshot reads after pruning to 3": ({ queries }) => {
      for (const { block, result } of queries) {
        if (block === 0) continue; // The network reads the latest state here; block 0 is genesis for this node.
        if (result.startsWith("error: ")) expect(() => open.state.snapshot(block, 0)).toThrow(result.slice(7));
        else expect(trees(block)).toEqual(vectors.blockSync.blocks[block - 1].trees);
      }
    },
    "fork at pruned block 1": ({ result }) => expect(() => open.state.fork(1)).toThrow(result),
    "fork at block 0 after pruning": () => {
      const { root } = open.state.fork(0).snapshot(2);
      expect(toHex(root)).toBe(vectors.blockSync.genesisTrees[2].root);
    },
    "fork at future block 99": ({ result }) => expect(() => open.state.fork(99)).toThrow(result),
  };
  for (const step of vectors.historyManagement) {
    if (step.note !== undefined) {
      const check = notes[step.note];
      if (check !== undefined) check(step);
      else
        await expect(open.state.prepare([{ ...allBlocks[4], archiveRoot: new Uint8Array(32) }])).rejects.toThrow(
          step.result,
        );
      continue;
    }
    if (step.op === "sync alternative block 4") {
      await apply(open, [effects(step.block, step.trees[4].root)]);
    } else if (step.result.startsWith("error: ")) {
      expect(operations[step.op], step.op).toThrow(step.result.slice(7));
      // In the network a refused unwind may have removed the blocks above the finalized one; here it changes nothing.
      if (step.op.startsWith("unwindBlocks(2)")) write(() => open.state.unwindTo(3));
    } else {
      await operations[step.op]();
    }
    expect(status(), step.op).toEqual(step.status);
    expect(trees(step.status.unfinalizedBlockNumber), step.op).toEqual(step.trees);
  }
});
