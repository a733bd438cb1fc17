import { ELEMENT } from "../field/modulus";
import { elementToWord } from "../field/montgomery-form";
import { DIAGONAL, FULL, PARTIAL, TAIL } from "../poseidon2/constants";
import { LANES_ELEMENT } from "./arithmetic";
import { addSettled } from "./settle";
import { wordsToLanes } from "./words";

/** The tables of poseidon2/constants.ts with every constant in both lanes, below 0.6 p in size. */
export const FULL_LANES = memory.data(2880, 16);
export const PARTIAL_LANES = memory.data(4480, 16);
export const TAIL_LANES = memory.data(240, 16);
export const DIAGONAL_LANES = memory.data(320, 16);

const WORD = memory.data(32, 8);
const ZERO = memory.data(80, 16);

function spread(lanes: usize, elements: usize, count: i32): void {
  for (let i = 0; i < count; i++, lanes += LANES_ELEMENT, elements += ELEMENT) {
    elementToWord(WORD, elements);
    wordsToLanes(lanes, WORD, WORD);
    addSettled(lanes, lanes, ZERO);
  }
}

export function deriveLaneConstants(): void {
  spread(FULL_LANES, FULL, 36);
  spread(PARTIAL_LANES, PARTIAL, 56);
  spread(TAIL_LANES, TAIL, 3);
  spread(DIAGONAL_LANES, DIAGONAL, 4);
}
