import type { AccumulatedData } from "../protocol/tx/accumulated-data.ts";
import type { ContractLogs } from "./contract-directory.ts";
import { UnprocessableTxError } from "./errors.ts";

/**
 * The logs of each part of a tx. `bodies` are the contract class logs, in the order of the parts. Throws an
 * UnprocessableTxError when their number differs from the number of hashes in the kernel's output.
 */
export function contractLogs(parts: readonly AccumulatedData[], bodies: readonly Uint8Array[]): ContractLogs[] {
  const announced = parts.reduce((sum, { contractClassLogs }) => sum + contractClassLogs.length, 0);
  if (announced !== bodies.length) {
    throw new UnprocessableTxError(`the tx announces ${announced} contract class logs but carries ${bodies.length}`);
  }
  let next = 0;
  return parts.map(({ privateLogs, contractClassLogs }) => ({
    privateLogs,
    contractClassLogs: contractClassLogs.map(({ length, contractAddress }) => ({
      contractAddress,
      fields: bodies[next++].subarray(0, length * 32),
    })),
  }));
}
