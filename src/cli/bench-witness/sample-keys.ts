import { randomFillSync, randomInt } from "node:crypto";
import type { WorldStateReader } from "../../world-state/types.ts";
import type { TreeText } from "./tree-texts.ts";
import { TREES } from "./witness-kinds.ts";

/** Draws for each key wanted before a tree counts as empty: the nullifiers and note hashes of a tx are padded to 64 positions. */
const DRAWS_PER_KEY = 256;

function isZero(word: Uint8Array): boolean {
  return word.every((byte) => byte === 0);
}

/** A random field, which no tree holds. */
function absentKey(): Uint8Array {
  const key = randomFillSync(new Uint8Array(32));
  key[0] &= 0x1f;
  return key;
}

/** Keys of leaves at random positions, in use as of a block; none when the tree holds no leaf but padding. */
function presentKeys(world: WorldStateReader, block: number, tree: TreeText, count: number): Uint8Array[] {
  const { id } = TREES[tree];
  const { size } = world.snapshot(block, id);
  const keys: Uint8Array[] = [];
  for (let draws = count * DRAWS_PER_KEY; size > 0 && draws > 0 && keys.length < count; draws--) {
    const key = world.leafAt(block, id, randomInt(size));
    if (!isZero(key)) keys.push(key.slice());
  }
  return keys;
}

/** `count` keys to ask a tree for, a share of them absent where the tree can answer for those; none for an empty tree. */
export function sampleKeys(
  world: WorldStateReader,
  block: number,
  tree: TreeText,
  { count, absent }: { count: number; absent: number },
): Uint8Array[] {
  const missing = TREES[tree].indexed ? Math.round(count * absent) : 0;
  const present = presentKeys(world, block, tree, Math.max(1, count - missing));
  if (present.length === 0) return [];
  const keys = Array.from({ length: count - missing }, (_, i) => present[i % present.length]);
  for (let i = 0; i < missing; i++) keys.push(absentKey());
  return keys;
}
