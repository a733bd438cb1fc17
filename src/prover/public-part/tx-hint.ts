import { concat, toHex } from "../../protocol/bytes.ts";
import { effectiveGasFees } from "../../protocol/fees/transaction-fee.ts";
import type { Fr } from "../../protocol/field.ts";
import type { AccumulatedData, PublicAccumulatedData, PublicCallRequest } from "../../protocol/tx/accumulated-data.ts";
import type { Tx } from "../../protocol/tx/tx.ts";
import type { ToPublicParts } from "../circuits/layouts/kernel.ts";
import type { GlobalVariables } from "../circuits/layouts/values.ts";
import type { VmHints } from "../circuits/layouts/vm-hints-json.ts";

export interface PublicTx {
  readonly hash: Fr;
  readonly tx: Tx;
  /** Of `tx.data`: with all arrays padded, and without empty entries. */
  readonly parts: ToPublicParts;
  readonly data: PublicAccumulatedData;
}

/** The tx as the hints describe it. */
export function txHint({ hash, tx, parts, data }: PublicTx, { gasFees }: GlobalVariables): VmHints["tx"] {
  const { gasSettings } = parts.constants;
  const calldata = new Map(tx.publicFunctionCalldata.map(({ hash, values }) => [toHex(hash), values]));
  const enqueued = (request: PublicCallRequest) => {
    return { request, calldata: calldata.get(toHex(request.calldataHash)) ?? new Uint8Array(0) };
  };
  const nonRevertibleClasses = data.nonRevertible.contractClassLogs.length;
  return {
    hash,
    gasSettings,
    effectiveGasFees: effectiveGasFees(gasFees, gasSettings),
    nonRevertibleContractDeploymentData: deployment(
      parts.nonRevertible,
      data.nonRevertible,
      tx.contractClassLogFields.slice(0, nonRevertibleClasses),
    ),
    revertibleContractDeploymentData: deployment(
      parts.revertible,
      data.revertible,
      tx.contractClassLogFields.slice(nonRevertibleClasses),
    ),
    nonRevertibleAccumulatedData: accumulated(data.nonRevertible),
    revertibleAccumulatedData: accumulated(data.revertible),
    setupEnqueuedCalls: data.setupCalls.map(enqueued),
    appLogicEnqueuedCalls: data.appCalls.map(enqueued),
    teardownEnqueuedCall: data.teardownCall && enqueued(data.teardownCall),
    gasUsedByPrivate: parts.end.gasUsed,
    feePayer: parts.end.feePayer,
  };
}

function deployment(
  part: ToPublicParts["revertible"],
  { contractClassLogs }: AccumulatedData,
  bodies: readonly Uint8Array[],
): VmHints["tx"]["revertibleContractDeploymentData"] {
  return {
    contractClassLogs: contractClassLogs.map(({ contractAddress, length }, i) => ({
      contractAddress,
      fields: { fields: bodies[i] },
      emittedLength: length,
    })),
    privateLogs: part.data.privateLogs.filter(({ emittedLength }) => emittedLength > 0),
  };
}

function accumulated({ noteHashes, nullifiers, l2ToL1Msgs }: AccumulatedData) {
  return { noteHashes: concat(...noteHashes), nullifiers: concat(...nullifiers), l2ToL1Messages: l2ToL1Msgs };
}
