import { derivedClassId } from "../../archiver/contract-events.ts";
import type { Core } from "../../core/core.ts";
import { equal } from "../../protocol/bytes.ts";
import { isClassPublished, isInstancePublished, readClassPublished } from "../../protocol/contracts/contract-events.ts";
import { DecodeError } from "../../protocol/errors.ts";
import type { ContractRules, InstancePublished } from "../../protocol/generations/contracts.ts";
import {
  type AccumulatedData,
  isForPublic,
  privateAccumulatedData,
  publicAccumulatedData,
} from "../../protocol/tx/accumulated-data.ts";
import { REASON } from "../../protocol/tx/refusal-reasons.ts";
import type { DigestedTx } from "./tx-digest.ts";

/**
 * Side effects of the private part of a tx, in order. Throws a DecodeError for a log that is longer than its fields.
 */
export function accumulatedParts(data: Uint8Array): AccumulatedData[] {
  if (!isForPublic(data)) return [privateAccumulatedData(data)];
  const { nonRevertible, revertible } = publicAccumulatedData(data);
  return [nonRevertible, revertible];
}

/** All contract instances that the logs publish. Throws a DecodeError. */
export function publishedInstances(
  parts: readonly AccumulatedData[],
  { readInstancePublished }: Pick<ContractRules, "readInstancePublished">,
): InstancePublished[] {
  return parts.flatMap(({ privateLogs }) => privateLogs.filter(isInstancePublished).map(readInstancePublished));
}

/**
 * The first broken one of contract instance rules 1 and 2
 * (docs/protocol/07-transactions-and-fees.md#713-rules-and-reasons).
 */
export function instanceFault(
  core: Core,
  parts: readonly AccumulatedData[],
  contracts: ContractRules,
): string | undefined {
  try {
    for (const event of publishedInstances(parts, contracts)) {
      if (!equal(contracts.instanceAddress(core, event), event.address)) return REASON.instanceAddress;
    }
    return undefined;
  } catch (error) {
    if (error instanceof DecodeError) return REASON.instanceLog;
    throw error;
  }
}

/** The first broken one of data rules 8 and 9 (docs/protocol/07-transactions-and-fees.md#713-rules-and-reasons). */
export function classFault(
  core: Core,
  parts: readonly AccumulatedData[],
  { contractClassLogFields }: DigestedTx,
  contracts: ContractRules,
): string | undefined {
  const logs = parts.flatMap(({ contractClassLogs }) => contractClassLogs);
  try {
    for (const [i, { contractAddress, length }] of logs.entries()) {
      const fields = contractClassLogFields.at(i)?.subarray(0, length * 32);
      if (fields === undefined || !isClassPublished({ contractAddress, fields }, contracts)) continue;
      const event = readClassPublished(fields);
      if (!equal(derivedClassId(event, core), event.id)) return REASON.classId;
    }
    return undefined;
  } catch (error) {
    if (error instanceof DecodeError) return REASON.classLog;
    throw error;
  }
}

/**
 * Whether the published contracts can be read; `fault` is that of the classes
 * (docs/protocol/07-transactions-and-fees.md#715-setup-allow-list and
 * docs/protocol/07-transactions-and-fees.md#712-which-checks-run-where).
 */
export function contractsReadable(
  parts: readonly AccumulatedData[],
  { contractClassLogFields }: DigestedTx,
  { fault, contracts }: { fault: string | undefined; contracts: ContractRules },
): boolean {
  const logs = parts.flatMap(({ contractClassLogs }) => contractClassLogs);
  if (logs.length > contractClassLogFields.length || fault === REASON.classLog) return false;
  try {
    publishedInstances(parts, contracts);
    return true;
  } catch (error) {
    if (error instanceof DecodeError) return false;
    throw error;
  }
}
