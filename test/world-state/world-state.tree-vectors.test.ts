import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { concat, fromHex, toHex, word } from "../../src/protocol/bytes.ts";
import { TREE_IDS, type TreeId } from "../../src/protocol/constants.ts";
import type { Fork, LeafToInsert } from "../../src/world-state/fork.ts";
import {
  insertBatchWithWitnesses,
  insertSequentiallyWithWitnesses,
  type LeafWitness,
} from "../../src/world-state/witnessed-insertion.ts";
import { core, fields, type OpenState, openState } from "../world/world-state/open-state.ts";

const vectors = JSON.parse(readFileSync(new URL("../fixtures/vectors/trees.json", import.meta.url), "utf8"));

interface Slot {
  slot: string;
  value: string;
}
type LeafText = string | Slot;

const opened: OpenState[] = [];
afterEach(() => Promise.all(opened.splice(0).map((open) => open.close())));

function freshFork(): Fork {
  const open = openState();
  opened.push(open);
  return open.state.fork();
}

function leavesOf(texts: LeafText[], paddedTo = 0): LeafToInsert[] {
  const leaves = texts.flatMap((text): LeafToInsert[] =>
    typeof text === "string"
      ? fields([text]).map((key) => ({ key }))
      : [{ key: fromHex(text.slot), value: fromHex(text.value) }],
  );
  const empty =
    typeof texts[0] === "object" ? { key: new Uint8Array(32), value: new Uint8Array(32) } : { key: new Uint8Array(32) };
  while (leaves.length < paddedTo) leaves.push(empty);
  return leaves;
}

const paths = (path: Uint8Array) => Array.from({ length: path.length / 32 }, (_, i) => toHex(word(path, i)));
const snapshotOf = (fork: Fork, tree: TreeId) => {
  const { root, size } = fork.snapshot(tree);
  return { root: toHex(root), size: String(size) };
};

function leafText(tree: 0 | 2, { leaf }: LeafWitness) {
  const pointers = { nextKey: toHex(leaf.nextKey), nextIndex: String(leaf.nextIndex) };
  return tree === 0
    ? { nullifier: toHex(leaf.key), ...pointers }
    : { slot: toHex(leaf.key), value: toHex(leaf.value as Uint8Array), ...pointers };
}

describe("append-only trees", () => {
  const sequences: { treeId: TreeId; steps: AppendStep[] }[] = vectors.appendOnly;
  test.each(sequences)("appending to tree $treeId gives the roots of the vectors", ({ treeId, steps }) => {
    const fork = freshFork();
    for (const step of steps) {
      fork.append(treeId, fields(step.leaves), step.zeroPaddedTo);
      expect(snapshotOf(fork, treeId)).toEqual({ root: step.root, size: step.size });
      for (const { index, path } of step.siblingPaths ?? []) {
        expect(paths(fork.siblingPath(treeId, Number(index)))).toEqual(path);
      }
    }
  });
});

interface AppendStep {
  leaves: string[];
  zeroPaddedTo?: number;
  root: string;
  size: string;
  siblingPaths?: { index: string; path: string[] }[];
}

interface IndexedStep {
  op: "batchInsert" | "sequentialInsert";
  subtreeHeight: number;
  leaves: LeafText[];
  zeroPaddedTo?: number;
  root: string;
  size: string;
  sortedIndexes?: number[];
  subtreeSiblingPath?: string[];
  /** The path is given for the first few entries only. */
  lowLeafWitnesses?: { index: string; leaf: object; path?: string[] }[];
  /** Absent for an update, which inserts nothing. */
  witnesses?: {
    lowLeaf: { index: string; leaf: object; path?: string[] };
    insertion: { index: string; path?: string[] } | null;
  }[];
}

interface IndexedSequence {
  steps: IndexedStep[];
  finalLeaves: { index: string; leaf: object; hash: string }[];
}

function replay(tree: 0 | 2, steps: IndexedStep[], finalLeaves: IndexedSequence["finalLeaves"]): void {
  const fork = freshFork();
  for (const step of steps) {
    const leaves = leavesOf(step.leaves, step.zeroPaddedTo);
    if (step.op === "batchInsert") {
      const done = insertBatchWithWitnesses(fork, tree, leaves, step.subtreeHeight);
      if (step.sortedIndexes) expect(done.sortedIndexes).toEqual(step.sortedIndexes);
      if (step.subtreeSiblingPath) expect(paths(done.subtreePath)).toEqual(step.subtreeSiblingPath);
      for (const [i, witness] of (step.lowLeafWitnesses ?? []).entries()) {
        const got = done.lowLeafWitnesses[i];
        expect({ index: String(got.index), leaf: leafText(tree, got), path: paths(got.path) }).toMatchObject(witness);
      }
      expect(done.lowLeafWitnesses).toHaveLength(leaves.length);
    } else {
      const done = insertSequentiallyWithWitnesses(fork, tree, leaves);
      for (const [i, { lowLeaf, insertion }] of (step.witnesses ?? []).entries()) {
        const got = done.steps[i];
        expect({
          index: String(got.lowLeaf.index),
          leaf: leafText(tree, got.lowLeaf),
          path: paths(got.lowLeaf.path),
        }).toMatchObject(lowLeaf);
        const inserted = { index: String(got.insertion.index), path: paths(got.insertion.path) };
        if (insertion === null)
          expect(inserted).toEqual({ index: "0", path: inserted.path.map(() => toHex(new Uint8Array(32))) });
        else expect(inserted).toMatchObject(insertion);
      }
    }
    expect(snapshotOf(fork, tree)).toEqual({ root: step.root, size: step.size });
  }
  for (const { index, leaf } of finalLeaves) {
    const key = fork.leafAt(tree, Number(index));
    const found = fork.lowLeaf(tree, key);
    expect(found.present).toBe(true);
    expect(leafText(tree, { index: 0, leaf: found.leaf, path: key })).toEqual(leaf);
  }
}

describe("indexed trees", () => {
  const nullifierSequences: IndexedSequence[] = vectors.nullifierSequences;
  test.each(nullifierSequences)(
    "inserting nullifiers gives the roots and witnesses of the vectors: sequence %#",
    ({ steps, finalLeaves }) => replay(0, steps, finalLeaves),
  );

  const publicDataSequences: IndexedSequence[] = vectors.publicDataSequences;
  test.each(publicDataSequences)(
    "inserting public data gives the roots and witnesses of the vectors: sequence %#",
    ({ steps, finalLeaves }) => replay(2, steps, finalLeaves),
  );

  test("low leaves are found as in the vectors", () => {
    const fork = freshFork();
    const { inserted, zeroPaddedTo, root, size, queries } = vectors.nullifierLowLeafLookups;
    insertBatchWithWitnesses(fork, 0, leavesOf(inserted, zeroPaddedTo), 6);
    expect(snapshotOf(fork, 0)).toEqual({ root, size });
    for (const { key, lowLeafIndex, alreadyPresent, leaf } of queries) {
      const low = fork.lowLeaf(0, fromHex(key));
      expect(String(low.leaf.index)).toBe(lowLeafIndex);
      expect(low.present).toBe(alreadyPresent);
      expect(leafText(0, { index: 0, leaf: low.leaf, path: low.leaf.key })).toEqual(leaf);
    }
  });

  test("a batch of new keys gives the same root as sequential insertion", () => {
    const { leaves, root, size } = vectors.batchEqualsSequential;
    for (const insert of [insertBatch, insertSequential]) {
      const fork = freshFork();
      insert(fork, 2, leavesOf(leaves));
      expect(snapshotOf(fork, 2)).toEqual({ root, size });
    }
  });

  test("updates leave unused leaves in a batch, but not in sequential insertion", () => {
    const { leaves, batch, sequential } = vectors.batchDiffersFromSequential;
    const one = freshFork();
    insertBatch(one, 2, leavesOf(leaves));
    expect(snapshotOf(one, 2)).toEqual(batch);
    const other = freshFork();
    insertSequential(other, 2, leavesOf(leaves));
    expect(snapshotOf(other, 2)).toEqual(sequential);
  });

  test("a batch for a block gives the same root as batches by tx and as the core's linked batch", () => {
    const { tx1, tx2, root, size } = vectors.blockBatchEqualsPerTxBatches;
    const [first, second] = [leavesOf(tx1, 64), leavesOf(tx2, 64)];
    const block = freshFork();
    insertBatch(block, 0, [...first, ...second]);
    expect(snapshotOf(block, 0)).toEqual({ root, size });
    const byTx = freshFork();
    insertBatch(byTx, 0, first);
    insertBatch(byTx, 0, second);
    expect(snapshotOf(byTx, 0)).toEqual({ root, size });
    const linked = freshFork();
    linked.insertNullifiers(
      [...fields(tx1), ...fields(tx2)],
      [...tx1.map((_: string, i: number) => 128 + i), ...tx2.map((_: string, i: number) => 192 + i)],
    );
    linked.skip(0, 128);
    expect(snapshotOf(linked, 0)).toEqual({ root, size });
  });
});

function insertBatch(fork: Fork, tree: 0 | 2, leaves: LeafToInsert[]): void {
  insertBatchWithWitnesses(fork, tree, leaves, 6);
}

function insertSequential(fork: Fork, tree: 0 | 2, leaves: LeafToInsert[]): void {
  fork.insertSequentially(tree, leaves);
}

describe("edge cases", () => {
  const key = (n: number) => concat(new Uint8Array(30), Uint8Array.of(n >> 8, n & 255));
  const slot = (n: number, value: number) => ({ key: key(n), value: key(value) });
  const operations: Record<string, (fork: Fork) => void> = {
    "nullifier batch contains a key already in the tree (5)": (f) => insertBatch(f, 0, [{ key: key(5) }]),
    "nullifier batch contains the same key twice": (f) => insertBatch(f, 0, [{ key: key(1000) }, { key: key(1000) }]),
    "nullifier sequential existing key (5)": (f) => insertSequential(f, 0, [{ key: key(5) }]),
    "nullifier sequential same key twice": (f) => insertSequential(f, 0, [{ key: key(1000) }, { key: key(1000) }]),
    "nullifier sequential zero leaf is skipped": (f) => insertSequential(f, 0, [{ key: key(0) }]),
    "public data batch same slot twice": (f) => insertBatch(f, 2, [slot(1000, 1), slot(1000, 2)]),
    "public data sequential same slot twice": (f) => insertSequential(f, 2, [slot(1000, 1), slot(1000, 2)]),
    "public data sequential empty leaf is skipped": (f) => insertSequential(f, 2, [slot(0, 0)]),
    "public data sequential slot 0 with non-zero value updates leaf 0": (f) => insertSequential(f, 2, [slot(0, 9)]),
    "public data write of value 0 to a new slot is inserted": (f) => insertSequential(f, 2, [slot(1000, 0)]),
    "batch of 3 zero leaves grows the nullifier tree by 3": (f) =>
      insertBatch(f, 0, [{ key: key(0) }, { key: key(0) }, { key: key(0) }]),
    "empty batch": (f) => insertBatch(f, 0, []),
    "empty sequential": (f) => insertSequential(f, 0, []),
  };

  const cases: { case: string; outcome: string; message?: string; nullifierTree?: object; publicDataTree?: object }[] =
    vectors.edgeCases;
  test.each(cases)("an insertion has the outcome of the vectors: $case", (edge) => {
    const fork = freshFork();
    const operation = operations[edge.case];
    expect(operation, "a known case").toBeDefined();
    if (edge.outcome === "error") {
      expect(() => operation(fork)).toThrow(edge.message);
    } else {
      operation(fork);
      expect(snapshotOf(fork, 0)).toEqual(edge.nullifierTree);
      expect(snapshotOf(fork, 2)).toEqual(edge.publicDataTree);
    }
  });
});

test("the empty roots of all trees are those of the vectors", () => {
  for (const { id, height, emptyRoot } of vectors.trees) {
    expect(TREE_IDS).toContain(id);
    expect(toHex(core.merkle().zeroHashes[height])).toBe(emptyRoot);
  }
});
