import { ELEMENT } from "../field/modulus";
import { mul } from "../field/mul";
import { reduce } from "../field/reduce";
import { square } from "../field/square";
import { FULL, PARTIAL, TAIL } from "./constants";
import { externalLayer, internalLayer } from "./linear-layers";

/** Four elements. */
export const STATE: usize = 288;

const POWER = memory.data(72, 8);

/** x^5 in place. A value below 34 p with loose limbs leaves it below 1.5 p. */
@inline
function sbox(x: usize): void {
  square(POWER, x);
  square(POWER, POWER);
  mul(x, POWER, x);
}

function fullRound(state: usize, nextConstants: usize): void {
  sbox(state);
  sbox(state + ELEMENT);
  sbox(state + 2 * ELEMENT);
  sbox(state + 3 * ELEMENT);
  externalLayer(state, nextConstants);
}

/** Adds the limbs of `b` to those of `a`, without carrying. */
export function addLoose(a: usize, b: usize): void {
  for (let i: usize = 0; i < ELEMENT; i += 8) store<u64>(a + i, load<u64>(a + i) + load<u64>(b + i));
}

/**
 * Poseidon2 permutation (docs/protocol/01-fields-and-hashing.md#15-poseidon2-permutation). Elements in below 2.1 p with
 * loose limbs, out below 1.01 p with tight limbs.
 *
 *   state 4 x 72, in place
 */
export function permute(state: usize): void {
  externalLayer(state, FULL);
  for (let round: usize = 1; round <= 4; round++) fullRound(state, FULL + round * STATE);
  for (let round: usize = 0; round < 56; round++) {
    sbox(state);
    internalLayer(state, PARTIAL + round * ELEMENT);
  }
  for (let i: usize = 0; i < 3; i++) addLoose(state + (i + 1) * ELEMENT, TAIL + i * ELEMENT);
  for (let round: usize = 5; round <= 8; round++) fullRound(state, FULL + round * STATE);
  for (let i: usize = 0; i < STATE; i += ELEMENT) reduce(state + i, state + i);
}
