import { randomFillSync, randomInt } from "node:crypto";
import type { WorldStateReader } from "../../world-state/types.ts";
import type { TreeText } from "./tree-texts.ts";
import { TREES } from "./witness-kinds.ts";

/** Draws per requested key before a tree counts as empty; many are needed because each tx is padded to 64 leaves. */
const DRAWS_PER_KEY = 256;

function isZero(word: Uint8Array): boolean {
  return word.every((byte) => byte === 0);
}

/** A random field element, which no tree contains. */
function absentKey(): Uint8Array {
  const key = randomFillSync(new Uint8Array(32));
  key[0] &= 0x1f;
  return key;
}

/** Keys of random leaves as of a block; none if the tree contains only padding. */
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

/** `count` keys to look up in a tree, a share of them absent if the tree can prove absence; none for an empty tree. */
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
