/** Prices of L1 in wei: per gas and per blob gas. */
export interface L1Fees {
  baseFee: bigint;
  blobFee: bigint;
}

/**
 * What the rollup believes L1 costs (sheet 04 section 11). A new belief counts two slots after it was written, so that the fees of the next
 * two slots are always known.
 */
export interface L1GasOracle {
  /** Fees in slots before `slotOfChange`. */
  pre: L1Fees;
  /** Fees from `slotOfChange` on. */
  post: L1Fees;
  slotOfChange: bigint;
}

/** Slots between an update of the oracle and its effect. */
export const L1_GAS_ORACLE_LAG = 2;
/** Slots that an update is in effect at least, counted from when it was written. */
const LIFETIME = 5;

const HALF = (1n << 56n) - 1n;

/** Fees that the rollup reckons with in a slot. */
export function l1FeesAt(oracle: L1GasOracle, slot: bigint): L1Fees {
  return slot < oracle.slotOfChange ? oracle.pre : oracle.post;
}

/** The oracle after an update in `slot`, when L1 costs `current`. An update that comes too early changes nothing. */
export function updateL1GasOracle(oracle: L1GasOracle, slot: bigint, current: L1Fees): L1GasOracle {
  if (slot < oracle.slotOfChange + BigInt(LIFETIME - L1_GAS_ORACLE_LAG)) return oracle;
  return { pre: oracle.post, post: current, slotOfChange: slot + BigInt(L1_GAS_ORACLE_LAG) };
}

/** The oracle from its storage word: from the low bits on, two 112-bit halves (base fee above blob fee, 56 bits each), then the slot. */
export function readL1GasOracle(word: bigint): L1GasOracle {
  const fees = (at: bigint): L1Fees => ({ baseFee: (word >> (at + 56n)) & HALF, blobFee: (word >> at) & HALF });
  return { pre: fees(0n), post: fees(112n), slotOfChange: word >> 224n };
}
