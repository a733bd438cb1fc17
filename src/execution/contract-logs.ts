import type { AccumulatedData } from "../protocol/tx/accumulated-data.ts";
import type { ContractLogs } from "./contract-directory.ts";
import { UnprocessableTxError } from "./errors.ts";

/**
 * The logs of each part of a tx. Bodies of contract class logs come in the parts' order. Throws an UnprocessableTxError when there are not as
 * many as the kernel's hashes of them.
 */
export function contractLogs(parts: readonly AccumulatedData[], bodies: readonly Uint8Array[]): ContractLogs[] {
  const announced = parts.reduce((sum, { contractClassLogs }) => sum + contractClassLogs.length, 0);
  if (announced !== bodies.length) {
    throw new UnprocessableTxError(`contract class logs must be ${announced} as the tx says, got ${bodies.length}`);
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
