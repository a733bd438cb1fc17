import type { JsonWriter } from "./json-writer.ts";

/** GasFees of two integers. */
export function encodeFees(out: JsonWriter, fees: { feePerDaGas: bigint; feePerL2Gas: bigint }): void {
  out.text(`{"feePerDaGas":"${fees.feePerDaGas}","feePerL2Gas":"${fees.feePerL2Gas}"}`);
}
