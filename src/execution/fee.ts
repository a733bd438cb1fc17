import { readBigUint } from "../protocol/bytes.ts";
import { max } from "../protocol/fees/arithmetic.ts";
import type { TxGas } from "../protocol/fees/gas-fees.ts";
import { effectiveGasFees, gasCost } from "../protocol/fees/transaction-fee.ts";
import { type Fr, fr } from "../protocol/field.ts";
import type { TxGasSettings } from "../protocol/tx/gas-settings.ts";
import type { SkippedFees } from "./execution-options.ts";
import type { VmGlobals } from "./vm/run.ts";

/**
 * Fee in fee asset units that a tx pays for its billed gas (docs/protocol/06-public-execution.md#626-gas-and-fee).
 * Throws a MaxFeesTooLowError when the tx offers less than the block charges, unless `skipped` is "all": then it pays
 * the block's price.
 */
export function transactionFee(
  globals: VmGlobals,
  settings: TxGasSettings,
  billed: TxGas,
  skipped?: SkippedFees,
): bigint {
  const fees = effectiveGasFees(globals, skipped === "all" ? raisedOffer(globals, settings) : settings);
  return gasCost(fees, { daGas: BigInt(billed.daGas), l2Gas: BigInt(billed.l2Gas) });
}

/** The settings with maximum fees raised to at least the block's price. */
function raisedOffer({ feePerDaGas, feePerL2Gas }: VmGlobals, settings: TxGasSettings): TxGasSettings {
  const { maxFeesPerGas: offered } = settings;
  const maxFeesPerGas = {
    feePerDaGas: max(offered.feePerDaGas, feePerDaGas),
    feePerL2Gas: max(offered.feePerL2Gas, feePerL2Gas),
  };
  return { ...settings, maxFeesPerGas };
}

/** The balance after paying the fee; undefined when it does not cover the fee. */
export function balanceAfter(balance: Fr, fee: bigint): Fr | undefined {
  const left = readBigUint(balance) - fee;
  return left < 0n ? undefined : fr(left);
}
