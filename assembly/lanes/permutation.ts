import { FULL_LANES } from "./constants";
import { externalLayerLanes } from "./linear-layers";
import { sboxes } from "./mul";
import { partialRounds } from "./partial-rounds";

/** Four elements in two lanes. */
export const LANES_STATE: usize = 320;

function fullRound(state: usize, nextConstants: usize): void {
  sboxes(state, LANES_STATE);
  externalLayerLanes(state, nextConstants);
}

/**
 * Poseidon2 permutation in both lanes (poseidon2/permutation.ts). Elements in below 5 p in size, out below 0.6 p, in
 * the scales of constants.ts.
 *
 *   state 4 x 80, in place
 */
export function permuteLanes(state: usize): void {
  externalLayerLanes(state, FULL_LANES);
  for (let round: usize = 1; round <= 4; round++) fullRound(state, FULL_LANES + round * LANES_STATE);
  partialRounds(state);
  for (let round: usize = 5; round <= 8; round++) fullRound(state, FULL_LANES + round * LANES_STATE);
}
