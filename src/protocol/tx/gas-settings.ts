import { readBigUint, readU32 } from "../bytes.ts";
import type { GasFees, TxGas } from "../fees/gas-fees.ts";
import { TX_DATA_AT } from "./kernel-output.ts";

/**
 * The gas limits and fees of a tx, and the gas that its private part has used
 * (docs/protocol/07-transactions-and-fees.md#72-kernel-output).
 */
export interface TxGasSettings {
  gasLimits: TxGas;
  teardownGasLimits: TxGas;
  maxFeesPerGas: GasFees;
  maxPriorityFeesPerGas: GasFees;
  /** Includes the teardown limits if the tx has a teardown call. */
  gasUsed: TxGas;
}

function gasAt(data: Uint8Array, at: number): TxGas {
  return { daGas: readU32(data, at), l2Gas: readU32(data, at + 4) };
}

function feesAt(data: Uint8Array, at: number): GasFees {
  return { feePerDaGas: readBigUint(data, at, 16), feePerL2Gas: readBigUint(data, at + 16, 16) };
}

/** Reads the gas settings from a tx's `data`. */
export function txGasSettings(data: Uint8Array): TxGasSettings {
  return {
    gasLimits: gasAt(data, TX_DATA_AT.gasLimits),
    teardownGasLimits: gasAt(data, TX_DATA_AT.teardownGasLimits),
    maxFeesPerGas: feesAt(data, TX_DATA_AT.maxFeesPerGas),
    maxPriorityFeesPerGas: feesAt(data, TX_DATA_AT.maxPriorityFeesPerGas),
    gasUsed: gasAt(data, TX_DATA_AT.gasUsed),
  };
}

/** The fee payer, as a view of 32 bytes. */
export function txFeePayer(data: Uint8Array): Uint8Array {
  return data.subarray(TX_DATA_AT.feePayer, TX_DATA_AT.feePayer + 32);
}
