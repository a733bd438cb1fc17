import { encoder } from "../json/encoder.ts";
import { about, record } from "../json/json-schema.ts";
import { DECIMAL } from "../json/scalars.ts";

export const GAS_FEES = record("GasFees", "Prices of a unit of gas, in the fee asset's smallest unit.", {
  feePerDaGas: about(DECIMAL, "Price of a unit of data availability gas."),
  feePerL2Gas: about(DECIMAL, "Price of a unit of L2 gas, also called mana."),
});

/** GasFees of two integers. */
export const encodeFees = encoder<{ feePerDaGas: bigint; feePerL2Gas: bigint }>(GAS_FEES, (out, fees) => {
  out.text(`{"feePerDaGas":"${fees.feePerDaGas}","feePerL2Gas":"${fees.feePerL2Gas}"}`);
});
