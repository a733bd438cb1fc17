import { concat } from "../../protocol/bytes.ts";
import { TX_DATA_AT } from "../../protocol/tx/kernel-output.ts";

/** Constants, without the byte for the form. */
const CONSTANTS_BYTES = TX_DATA_AT.gasUsed - TX_DATA_AT.anchorHeader;
/** Gas used, fee payer, expiration. */
const END_BYTES = TX_DATA_AT.accumulated - TX_DATA_AT.gasUsed;

/**
 * A tx's `data` from its kernel's output in a proving job, where gas used, fee payer and expiration stand behind the
 * accumulated data (docs/protocol/07-transactions-and-fees.md#72-kernel-output).
 */
export function txDataOf(kernelOutput: Uint8Array, forPublic: boolean): Uint8Array {
  const endAt = kernelOutput.length - END_BYTES;
  return concat(
    Uint8Array.of(forPublic ? 1 : 0),
    kernelOutput.subarray(0, CONSTANTS_BYTES),
    kernelOutput.subarray(endAt),
    kernelOutput.subarray(CONSTANTS_BYTES, endAt),
  );
}

/** Inverse of txDataOf. */
export function kernelOutputOf(txData: Uint8Array): Uint8Array {
  return concat(
    txData.subarray(TX_DATA_AT.anchorHeader, TX_DATA_AT.gasUsed),
    txData.subarray(TX_DATA_AT.accumulated),
    txData.subarray(TX_DATA_AT.gasUsed, TX_DATA_AT.accumulated),
  );
}
