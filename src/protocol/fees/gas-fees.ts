/**
 * Prices per unit of gas, in the fee asset (18 decimals). The DA price of a min fee is always 0
 * (docs/protocol/04-l1-contracts.md#429-price-of-mana).
 */
export interface GasFees {
  feePerDaGas: bigint;
  feePerL2Gas: bigint;
}

/** An amount of gas, each dimension 0 to 2^32-1. */
export interface TxGas {
  daGas: number;
  l2Gas: number;
}

/** Largest price per mana that the rollup returns: 2^128 - 1. */
export const MAX_FEE_PER_MANA = (1n << 128n) - 1n;

/** Min fees for a mana price. */
export function manaFees(feePerL2Gas: bigint): GasFees {
  return { feePerDaGas: 0n, feePerL2Gas };
}
