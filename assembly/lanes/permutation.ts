import { LANES_ELEMENT } from "./arithmetic";
import { FULL_LANES, PARTIAL_LANES, TAIL_LANES } from "./constants";
import { externalLayerLanes, internalLayerLanes } from "./linear-layers";
import { mulLanes } from "./mul";
import { addSettled } from "./settle";
import { squareLanes } from "./square";

/** Four elements in two lanes. */
export const LANES_STATE: usize = 320;

const POWER = memory.data(80, 16);

/** x^5 in place. With |x| < 1.9 p the result is below 1.8 p in size. */
function sbox(x: usize): void {
  squareLanes(POWER, x);
  squareLanes(POWER, POWER);
  mulLanes(x, POWER, x);
}

function fullRound(state: usize, nextConstants: usize): void {
  for (let i: usize = 0; i < LANES_STATE; i += LANES_ELEMENT) sbox(state + i);
  externalLayerLanes(state, nextConstants);
}

/**
 * Poseidon2 permutation in both lanes (poseidon2/permutation.ts). Elements in below 5 p in size, out below 0.6 p.
 *
 *   state 4 x 80, in place
 */
export function permuteLanes(state: usize): void {
  externalLayerLanes(state, FULL_LANES);
  for (let round: usize = 1; round <= 4; round++) fullRound(state, FULL_LANES + round * LANES_STATE);
  for (let round: usize = 0; round < 56; round++) {
    sbox(state);
    internalLayerLanes(state, PARTIAL_LANES + round * LANES_ELEMENT);
  }
  for (let i: usize = 0; i < 3; i++) {
    const element = state + (i + 1) * LANES_ELEMENT;
    addSettled(element, element, TAIL_LANES + i * LANES_ELEMENT);
  }
  for (let round: usize = 5; round <= 8; round++) fullRound(state, FULL_LANES + round * LANES_STATE);
}
