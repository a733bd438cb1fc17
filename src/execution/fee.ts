import { readBigUint } from "../protocol/bytes.ts";
import { max } from "../protocol/fees/arithmetic.ts";
import { effectiveGasFees, gasCost } from "../protocol/fees/transaction-fee.ts";
import { type Fr, fr } from "../protocol/field.ts";
import type { TxGas, TxGasSettings } from "../protocol/tx/gas-settings.ts";
import type { SkippedFees } from "./execution-options.ts";
import type { VmGlobals } from "./vm/run.ts";

/**
 * Fee asset units that a tx pays for the gas billed to it (sheet 05 section 8.3). Throws a MaxFeesTooLowError, unless all rules of fees are
 * left out: a tx that offers less than the block charges then pays what the block charges.
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

/** Settings whose maximum is at least what the block charges. */
function raisedOffer({ feePerDaGas, feePerL2Gas }: VmGlobals, settings: TxGasSettings): TxGasSettings {
  const { maxFeesPerGas: offered } = settings;
  const maxFeesPerGas = {
    feePerDaGas: max(offered.feePerDaGas, feePerDaGas),
    feePerL2Gas: max(offered.feePerL2Gas, feePerL2Gas),
  };
  return { ...settings, maxFeesPerGas };
}

/** What is left of a balance, undefined when it does not cover the fee. */
export function balanceAfter(balance: Fr, fee: bigint): Fr | undefined {
  const left = readBigUint(balance) - fee;
  return left < 0n ? undefined : fr(left);
}
