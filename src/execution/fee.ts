import { readBigUint } from "../protocol/bytes.ts";
import { effectiveGasFees, gasCost } from "../protocol/fees/transaction-fee.ts";
import { type Fr, fr } from "../protocol/field.ts";
import type { TxGas, TxGasSettings } from "../protocol/tx/gas-settings.ts";
import type { VmGlobals } from "./vm/run.ts";

/** Fee asset units that a tx pays for the gas billed to it (sheet 05 section 8.3). Throws a MaxFeesTooLowError. */
export function transactionFee(globals: VmGlobals, settings: TxGasSettings, billed: TxGas): bigint {
  const fees = effectiveGasFees(globals, settings);
  return gasCost(fees, { daGas: BigInt(billed.daGas), l2Gas: BigInt(billed.l2Gas) });
}

/** What is left of a balance, undefined when it does not cover the fee. */
export function balanceAfter(balance: Fr, fee: bigint): Fr | undefined {
  const left = readBigUint(balance) - fee;
  return left < 0n ? undefined : fr(left);
}
