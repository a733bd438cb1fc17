import { LANES_ELEMENT } from "./arithmetic";
import { AGAIN_FACTOR } from "./constants";
import { mulLanes } from "./mul";
import { LANES_STATE, permuteLanes } from "./permutation";
import { addSettled } from "./settle";
import { lanesToWords, wordsToLanes } from "./words";

const STATE = memory.data(320, 16);
const INPUT = memory.data(80, 16);
const WORD = memory.data(32, 8);

/** Brings the state from the scale of an output to that of an input. */
function rescale(): void {
  for (let i: usize = 0; i < LANES_STATE; i += LANES_ELEMENT) mulLanes(STATE + i, STATE + i, AGAIN_FACTOR);
}

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
    if (i > 0 && i % 3 == 0) {
      permuteLanes(STATE);
      rescale();
    }
    const place = STATE + (i % 3) * LANES_ELEMENT;
    wordsToLanes(INPUT, left, right);
    addSettled(place, place, INPUT);
  }
  permuteLanes(STATE);
  lanesToWords(outLeft, outRight, STATE);
}
