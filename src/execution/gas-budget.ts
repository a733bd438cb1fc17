import type { TxGas } from "../protocol/fees/gas-fees.ts";
import type { Gas } from "./vm/gas.ts";

export const NO_GAS: TxGas = { daGas: 0, l2Gas: 0 };

export function gasSum(a: TxGas, b: TxGas): TxGas {
  return { daGas: a.daGas + b.daGas, l2Gas: a.l2Gas + b.l2Gas };
}

export function gasDifference(a: TxGas, b: TxGas): TxGas {
  return { daGas: a.daGas - b.daGas, l2Gas: a.l2Gas - b.l2Gas };
}

/** Whether an amount is within a limit in both dimensions; an absent limit is unlimited. */
export function gasFits(amount: TxGas, limit: Partial<TxGas>): boolean {
  return (
    amount.daGas <= (limit.daGas ?? Number.POSITIVE_INFINITY) &&
    amount.l2Gas <= (limit.l2Gas ?? Number.POSITIVE_INFINITY)
  );
}

/** Replaces negative amounts by 0. Only gas settings that no private kernel produces lead to them. */
export function atLeastNone({ daGas, l2Gas }: TxGas): TxGas {
  return { daGas: Math.max(0, daGas), l2Gas: Math.max(0, l2Gas) };
}

export function vmGas({ daGas, l2Gas }: TxGas): Gas {
  return { da: daGas, l2: l2Gas };
}
