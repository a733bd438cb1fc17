/** L1 prices in wei: per gas and per blob gas. */
export interface L1Fees {
  baseFee: bigint;
  blobFee: bigint;
}

/**
 * The rollup's record of L1 fees (docs/protocol/04-l1-contracts.md#429-price-of-mana). An update takes effect two slots
 * after it was written, so the fees of the next two slots are always known.
 */
interface L1GasOracle {
  /** Fees in slots before `slotOfChange`. */
  pre: L1Fees;
  /** Fees from `slotOfChange` on. */
  post: L1Fees;
  slotOfChange: bigint;
}

/** Slots between an update of the oracle and its effect. */
export const L1_GAS_ORACLE_LAG = 2;
/** Minimum slots from writing one update to the next. */
const LIFETIME = 5;

const HALF = (1n << 56n) - 1n;

/** L1 fees that the rollup uses in a slot. */
export function l1FeesAt(oracle: L1GasOracle, slot: bigint): L1Fees {
  return slot < oracle.slotOfChange ? oracle.pre : oracle.post;
}

/** The oracle after an update in `slot` with the L1 fees `current`. An update that comes too early changes nothing. */
export function updateL1GasOracle(oracle: L1GasOracle, slot: bigint, current: L1Fees): L1GasOracle {
  if (slot < oracle.slotOfChange + BigInt(LIFETIME - L1_GAS_ORACLE_LAG)) return oracle;
  return { pre: oracle.post, post: current, slotOfChange: slot + BigInt(L1_GAS_ORACLE_LAG) };
}

/**
 * Reads the oracle's storage word. From the low bits on: `pre` and `post` of 112 bits each (blob fee in the lower 56
 * bits, base fee above), then the slot.
 */
export function readL1GasOracle(word: bigint): L1GasOracle {
  const fees = (at: bigint): L1Fees => ({ baseFee: (word >> (at + 56n)) & HALF, blobFee: (word >> at) & HALF });
  return { pre: fees(0n), post: fees(112n), slotOfChange: word >> 224n };
}
