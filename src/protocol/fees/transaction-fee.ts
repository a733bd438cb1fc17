import { min } from "./arithmetic.ts";
import type { GasFees } from "./gas-fees.ts";

interface GasAmounts {
  daGas: bigint;
  l2Gas: bigint;
}

/**
 * A transaction offers less than a block charges. The message is the reference node's
 * (docs/protocol/07-transactions-and-fees.md#710-transaction-fee).
 */
export class MaxFeesTooLowError extends Error {
  readonly dimension: keyof GasFees;
  readonly maxFee: bigint;
  readonly blockFee: bigint;

  constructor(dimension: keyof GasFees, maxFee: bigint, blockFee: bigint) {
    super(
      `maxFeesPerGas.${dimension} must be greater than or equal to gasFees.${dimension}, ` +
        `but got maxFeesPerGas.${dimension}=${maxFee} and gasFees.${dimension}=${blockFee}`,
    );
    this.name = "MaxFeesTooLowError";
    this.dimension = dimension;
    this.maxFee = maxFee;
    this.blockFee = blockFee;
  }
}

interface OfferedFees {
  maxFeesPerGas: GasFees;
  maxPriorityFeesPerGas: GasFees;
}

/**
 * Fees per gas that a transaction pays in a block: the block's price plus its priority fee, at most its maximum fee.
 * Throws MaxFeesTooLowError.
 */
export function effectiveGasFees(blockFees: GasFees, { maxFeesPerGas, maxPriorityFeesPerGas }: OfferedFees): GasFees {
  const effective = (dimension: keyof GasFees): bigint => {
    const room = maxFeesPerGas[dimension] - blockFees[dimension];
    if (room < 0n) throw new MaxFeesTooLowError(dimension, maxFeesPerGas[dimension], blockFees[dimension]);
    return blockFees[dimension] + min(maxPriorityFeesPerGas[dimension], room);
  };
  return { feePerDaGas: effective("feePerDaGas"), feePerL2Gas: effective("feePerL2Gas") };
}

/** Cost of an amount of gas in fee asset units. */
export function gasCost(fees: GasFees, gas: GasAmounts): bigint {
  return fees.feePerDaGas * gas.daGas + fees.feePerL2Gas * gas.l2Gas;
}
