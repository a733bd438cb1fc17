/** Quotient of a non-negative by a positive number, rounded up. */
export function ceilDiv(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

export function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

export function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

export function clamp(value: bigint, low: bigint, high: bigint): bigint {
  return min(max(value, low), high);
}
