import { equal, isZero } from "../../protocol/bytes.ts";
import { NULLIFIER_TREE, PUBLIC_DATA_TREE, TREE_IDS, type TreeId } from "../../protocol/constants.ts";
import { preimageBytes, writePreimage } from "../../world-state/indexed-overlay.ts";
import { leafRowBytes, readLeaf } from "../../world-state/tables/leaf-row.ts";
import { positionKey, readPosition, valueKey } from "../../world-state/tables/row-keys.ts";
import type { Snapshots } from "../../world-state/tables/state-row.ts";
import type { IndexedTree } from "../../world-state/tables/state-view.ts";
import { WORLD_STATE_TABLES } from "../../world-state/tables/tables.ts";
import { type CheckReport, checkPart, checkRow } from "./fault.ts";
import type { StoredTrees } from "./stored-trees.ts";

const T = WORLD_STATE_TABLES;
const isIndexed = (tree: TreeId): tree is IndexedTree => tree === NULLIFIER_TREE || tree === PUBLIC_DATA_TREE;

/** Checks the current leaves: each is what the tiles hold, and the lookups by value and by key lead to it. */
export class LeafChecker {
  readonly #trees: StoredTrees;
  readonly #report: CheckReport;

  constructor(trees: StoredTrees, report: CheckReport) {
    this.#trees = trees;
    this.#report = report;
  }

  /** `sizes` are those of the tip; undefined when they cannot be read. */
  check(sizes: Snapshots | undefined): void {
    checkPart(this.#report, T.leaves, () => this.#leaves(sizes));
    checkPart(this.#report, T.positions, () => this.#positions());
    checkPart(this.#report, T.keys, () => this.#keys());
  }

  #leaves(sizes: Snapshots | undefined): void {
    for (const { key, value } of this.#trees.tables.leaves.range({})) {
      checkRow(this.#report, T.leaves, key, () => {
        const tree = key[0] as TreeId;
        if (!TREE_IDS.includes(tree) || key.length !== 7 || value.length !== 32) return "is no leaf of any tree";
        const position = readPosition(key, 1);
        if (sizes !== undefined && position >= sizes[tree].size) return "lies behind the end of its tree";
        const node = this.#trees.leafNode(tree, position);
        return isIndexed(tree)
          ? this.#indexedLeaf(tree, position, value, node)
          : equal(node, value)
            ? undefined
            : "is not the node of its tile";
      });
      this.#report.step();
    }
  }

  #indexedLeaf(tree: IndexedTree, position: number, key: Uint8Array, node: Uint8Array): string | undefined {
    if (isZero(node)) return undefined;
    const row = this.#trees.tables.keys.get(valueKey(tree, key));
    if (row === undefined || row.length !== leafRowBytes(tree))
      return "has no row of its key, or one of another length";
    const leaf = readLeaf(key, row);
    if (leaf.index !== position) return `the row of its key names leaf ${leaf.index}`;
    const preimage = new Uint8Array(preimageBytes(tree));
    writePreimage(leaf, preimage, 0);
    return equal(this.#trees.core.hashMany(preimage, preimage.length / 32), node)
      ? undefined
      : "the row of its key does not hash to the node of its tile";
  }

  #positions(): void {
    for (const { key, value } of this.#trees.tables.positions.range({})) {
      checkRow(this.#report, T.positions, key, () => {
        const leaf = this.#trees.tables.leaves.get(positionKey(key[0] as TreeId, readPosition(value)));
        return leaf !== undefined && equal(leaf, key.subarray(1)) ? undefined : "does not lead to a leaf of its value";
      });
    }
  }

  #keys(): void {
    for (const { key, value } of this.#trees.tables.keys.range({})) {
      checkRow(this.#report, T.keys, key, () => {
        const tree = key[0] as TreeId;
        if (!isIndexed(tree) || value.length !== leafRowBytes(tree)) return "is no leaf of an indexed tree";
        const { index, lowBefore, nextBefore } = readLeaf(key.subarray(1), value);
        const leaf = this.#trees.tables.leaves.get(positionKey(tree, index));
        if (leaf === undefined || !equal(leaf, key.subarray(1))) return `leaf ${index} is not that key`;
        // Neighbours came before the leaf did; those of genesis are not followed.
        return index > 0 && lowBefore > 0 && (lowBefore >= index || nextBefore >= index)
          ? "names a neighbour that came later"
          : undefined;
      });
    }
  }
}
