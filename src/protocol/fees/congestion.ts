import { max, min } from "./arithmetic.ts";

/** Multiplier of the mana price without congestion, so also the unit of multipliers. */
export const MINIMUM_CONGESTION_MULTIPLIER = 1_000_000_000n;

const UPDATE_FRACTION_NUMERATOR = 854_700_854n;
const UPDATE_FRACTION_DENOMINATOR = 100_000_000n;
/** Largest exponent (excess mana / update fraction). */
const MAX_EXPONENT = 100n;

/**
 * factor * e^(numerator / denominator) by its Taylor series in integers, as in EIP-4844: each term is rounded down.
 */
function fakeExponential(factor: bigint, numerator: bigint, denominator: bigint): bigint {
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

/**
 * Multiplier that congestion applies to the mana price, in units of 1e-9
 * (docs/protocol/04-l1-contracts.md#429-price-of-mana). For a target of 0 it is the minimum.
 */
export function congestionMultiplier(manaTarget: bigint, excessMana: bigint): bigint {
  const fraction = congestionUpdateFraction(manaTarget);
  if (fraction === 0n) return MINIMUM_CONGESTION_MULTIPLIER;
  return fakeExponential(MINIMUM_CONGESTION_MULTIPLIER, min(excessMana, MAX_EXPONENT * fraction), fraction);
}

/** Excess mana after a checkpoint that used `manaUsed`, given the excess before it. */
export function nextExcessMana(excessMana: bigint, manaUsed: bigint, manaTarget: bigint): bigint {
  return max(excessMana + manaUsed - manaTarget, 0n);
}
