import { isInstancePublished } from "../contracts/contract-events.ts";
import { V4 } from "../generations/v4/v4.ts";
import { isForPublic, privateAccumulatedData, publicAccumulatedData } from "./accumulated-data.ts";

/** Addresses of the contract instances that a tx publishes, as its logs tell them. Throws a DecodeError. */
export function deployedContracts(data: Uint8Array): Uint8Array[] {
  const parts = isForPublic(data)
    ? [publicAccumulatedData(data).nonRevertible, publicAccumulatedData(data).revertible]
    : [privateAccumulatedData(data)];
  const logs = parts.flatMap(({ privateLogs }) => privateLogs);
  return logs.filter(isInstancePublished).map((fields) => V4.contracts.readInstancePublished(fields).address);
}
