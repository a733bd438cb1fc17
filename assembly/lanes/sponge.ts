import { LANES_ELEMENT } from "./arithmetic";
import { addLanes } from "./linear-layers";
import { LANES_STATE, permuteLanes } from "./permutation";
import { lanesToWords, wordsToLanes } from "./words";

const STATE = memory.data(320, 16);
const INPUT = memory.data(80, 16);
const WORD = memory.data(32, 8);

/**
 * Two hashes of `count` >= 1 words each (poseidon2/sponge.ts).
 *
 *   left count x 32 | right count x 32 -> outLeft 32 | outRight 32
 */
export function hashTwo(outLeft: usize, outRight: usize, left: usize, right: usize, count: u32): void {
  memory.fill(STATE, 0, LANES_STATE);
  store<u64>(WORD, bswap<u64>(count), 16);
  wordsToLanes(STATE + 3 * LANES_ELEMENT, WORD, WORD);
  for (let i: usize = 0; i < count; i++, left += 32, right += 32) {
    const place = STATE + (i % 3) * LANES_ELEMENT;
    wordsToLanes(INPUT, left, right);
    addLanes(place, place, INPUT);
    if (i % 3 == 2 || i + 1 == count) permuteLanes(STATE);
  }
  lanesToWords(outLeft, outRight, STATE);
}
