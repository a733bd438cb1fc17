import { isInstancePublished } from "../contracts/contract-events.ts";
import type { ContractRules } from "../generations/contracts.ts";
import { isForPublic, privateAccumulatedData, publicAccumulatedData } from "./accumulated-data.ts";

/** Addresses of the contract instances that a tx publishes, as its logs tell them. Throws a DecodeError. */
export function deployedContracts(
  data: Uint8Array,
  { readInstancePublished }: Pick<ContractRules, "readInstancePublished">,
): Uint8Array[] {
  const parts = isForPublic(data)
    ? [publicAccumulatedData(data).nonRevertible, publicAccumulatedData(data).revertible]
    : [privateAccumulatedData(data)];
  const logs = parts.flatMap(({ privateLogs }) => privateLogs);
  return logs.filter(isInstancePublished).map((fields) => readInstancePublished(fields).address);
}
