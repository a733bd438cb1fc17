import type { TxGas, TxGasSettings } from "../protocol/tx/gas-settings.ts";
import { UnprocessableTxError } from "./errors.ts";

export const NO_GAS: TxGas = { daGas: 0, l2Gas: 0 };

export function gasSum(a: TxGas, b: TxGas): TxGas {
  return { daGas: a.daGas + b.daGas, l2Gas: a.l2Gas + b.l2Gas };
}

export function gasDifference(a: TxGas, b: TxGas): TxGas {
  return { daGas: a.daGas - b.daGas, l2Gas: a.l2Gas - b.l2Gas };
}

/** Whether an amount is within a limit in both dimensions; an absent limit has room for anything. */
export function gasFits(amount: TxGas, limit: Partial<TxGas>): boolean {
  return (
    amount.daGas <= (limit.daGas ?? Number.POSITIVE_INFINITY) &&
    amount.l2Gas <= (limit.l2Gas ?? Number.POSITIVE_INFINITY)
  );
}

/**
 * Refuses gas settings that no private kernel lets pass: amounts computed from them would fall below zero. Throws an
 * UnprocessableTxError.
 */
export function checkGasSettings({ gasLimits, teardownGasLimits, gasUsed }: TxGasSettings, hasTeardown: boolean): void {
  for (const dimension of ["daGas", "l2Gas"] as const) {
    if (gasUsed[dimension] > gasLimits[dimension]) {
      throw new UnprocessableTxError(
        `gasLimits.${dimension} must cover what the private part used, but got ` +
          `${gasLimits[dimension]} for ${gasUsed[dimension]}`,
      );
    }
    if (hasTeardown && gasUsed[dimension] < teardownGasLimits[dimension]) {
      throw new UnprocessableTxError(
        `gasUsed.${dimension} must contain teardownGasLimits.${dimension}, but got ` +
          `${gasUsed[dimension]} and ${teardownGasLimits[dimension]}`,
      );
    }
  }
}
