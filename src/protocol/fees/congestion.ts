import { max, min } from "./arithmetic.ts";

/** What the price of mana is multiplied by without congestion, and with it the unit of multipliers. */
export const MINIMUM_CONGESTION_MULTIPLIER = 1_000_000_000n;

const UPDATE_FRACTION_NUMERATOR = 854_700_854n;
const UPDATE_FRACTION_DENOMINATOR = 100_000_000n;
/** The exponent, excess by update fraction, goes no further. */
const MAX_EXPONENT = 100n;

/**
 * factor * e^(numerator / denominator) by its Taylor series in integers, as EIP-4844 has it: each term is rounded down.
 */
export function fakeExponential(factor: bigint, numerator: bigint, denominator: bigint): bigint {
  let sum = 0n;
  let term = factor * denominator;
  for (let i = 1n; term > 0n; i++) {
    sum += term;
    term = (term * numerator) / (denominator * i);
  }
  return sum / denominator;
}

/** Divisor of excess mana in the exponent. One mana target of excess multiplies the price by about 1.125. */
export function congestionUpdateFraction(manaTarget: bigint): bigint {
  return (manaTarget * UPDATE_FRACTION_NUMERATOR) / UPDATE_FRACTION_DENOMINATOR;
}

/** By how much congestion raises the price of mana, in units of 1e-9 (sheet 04 section 11). A target of 0 raises nothing. */
export function congestionMultiplier(manaTarget: bigint, excessMana: bigint): bigint {
  const fraction = congestionUpdateFraction(manaTarget);
  if (fraction === 0n) return MINIMUM_CONGESTION_MULTIPLIER;
  return fakeExponential(MINIMUM_CONGESTION_MULTIPLIER, min(excessMana, MAX_EXPONENT * fraction), fraction);
}

/** Excess mana after a checkpoint that had `excessMana` before it and used `manaUsed`. */
export function nextExcessMana(excessMana: bigint, manaUsed: bigint, manaTarget: bigint): bigint {
  return max(excessMana + manaUsed - manaTarget, 0n);
}
