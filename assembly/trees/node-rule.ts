import { startNodesIntegers } from "../lanes/integers/sponge";
import { startNodesLanes } from "../lanes/sponge";
import { chosenBuild, FUSED_LANES, INTEGER_LANES } from "../poseidon2/build";
import { hashWords } from "../poseidon2/sponge";

/**
 * How the inner nodes of a tree are hashed: H(left, right), or H(separator, left, right). Either takes one permutation;
 * the sponge's state before the children is computed once.
 *
 *   separator u64, -1 for none | place of the left child in the rate u32 | pad to 16
 *   state before the children, of the lanes in use 320 | separator 32 | children 64, scratch
 *   zero hashes 43 x 32
 */
const PLACE: usize = 8;
const START: usize = 16;
const PREIMAGE: usize = 336;
const CHILDREN: usize = 368;
const ZEROS: usize = 432;
const RULE: usize = 1808;
const MAX_RULES: usize = 8;

/** Highest level that a tree of the protocol has (docs/protocol/02-trees.md#21-the-five-trees). */
const LEVELS: usize = 42;

const RULES = memory.data(14464, 16);
const COUNT = memory.data(4, 4);

/**
 * The rule for a separator below 2^32, or without one for a negative number.
 *
 * @returns its address, or 0 if there are too many.
 */
export function nodeRule(separator: f64): usize {
  const key = <i64>separator;
  const count = <usize>load<u32>(COUNT);
  const end = RULES + count * RULE;
  for (let rule = RULES; rule < end; rule += RULE) if (load<i64>(rule) == key) return rule;
  if (count == MAX_RULES) return 0;
  store<u32>(COUNT, <u32>count + 1);
  deriveRule(end, key);
  return end;
}

function deriveRule(rule: usize, key: i64): void {
  const place: u32 = key < 0 ? 0 : 1;
  store<i64>(rule, key);
  store<u32>(rule, place, PLACE);
  if (place != 0) store<u64>(rule, bswap(<u64>key), PREIMAGE + 24);
  const build = chosenBuild();
  if (build == FUSED_LANES) startNodesLanes(rule + START, rule + PREIMAGE, place);
  else if (build == INTEGER_LANES) startNodesIntegers(rule + START, rule + PREIMAGE, place);
  // Z_0 = 0, Z_(k+1) is the node of Z_k and Z_k.
  const pair = rule + CHILDREN;
  for (let level: usize = 0; level < LEVELS; level++) {
    const zero = zerosOf(rule) + (level << 5);
    memory.copy(pair, zero, 32);
    memory.copy(pair + 32, zero, 32);
    hashChildren(zero + 32, rule);
  }
}

/** State before the children in both lanes, in the form of the build in use. */
@inline
export function startOf(rule: usize): usize {
  return rule + START;
}

@inline
export function placeOf(rule: usize): u32 {
  return load<u32>(rule, PLACE);
}

/** Words of empty subtrees' roots by level, 0 to 42: 43 x 32. */
@inline
export function zerosOf(rule: usize): usize {
  return rule + ZEROS;
}

/** One node. */
export function hashNode(out: usize, children: usize, rule: usize): void {
  memory.copy(rule + CHILDREN, children, 64);
  hashChildren(out, rule);
}

function hashChildren(out: usize, rule: usize): void {
  const place = placeOf(rule);
  hashWords(out, rule + CHILDREN - (<usize>place << 5), place + 2);
}
