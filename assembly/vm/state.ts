/** State of the run that is kept between calls of `execute`. */

/**
 * Gas left in the running frame. The interpreter keeps L2 gas in a local and stores it here before calls that may
 * change it.
 */
export let gasL2: u32 = 0;
export let gasDA: u32 = 0;

export function setGas(l2: u32, da: u32): void {
  gasL2 = l2;
  gasDA = da;
}

export function setGasL2(l2: u32): void {
  gasL2 = l2;
}

/** Gas that the instruction that ran out of gas needed beyond what it had been charged. */
export let missedL2: f64 = 0;
export let missedDA: f64 = 0;

export function missGas(l2: u64, da: u64): void {
  missedL2 = <f64>l2;
  missedDA = <f64>da;
}

/** Charges DA gas; false when there is not enough. */
export function takeDA(amount: u64): bool {
  if (amount > <u64>gasDA) {
    missGas(0, amount);
    return false;
  }
  gasDA -= <u32>amount;
  return true;
}

/** Charges L2 gas; false when there is not enough. */
export function takeL2(amount: u64): bool {
  if (amount > <u64>gasL2) {
    missGas(amount, 0);
    return false;
  }
  gasL2 -= <u32>amount;
  return true;
}

/** Whether DEBUGLOG entries are collected. */
export let collectsDebugLogs: bool = false;

export function setCollectsDebugLogs(on: bool): void {
  collectsDebugLogs = on;
}

/** Values of GETENVVAR 2 to 8, as cells. */
export const ENVIRONMENT = memory.data(224, 32);
