import type { HashInput } from "../../core/core.ts";
import { calldataHashInput } from "../../core/derive/call-hashes.ts";
import { equal, isZero, toHex } from "../../protocol/bytes.ts";
import type { AccumulatedData, PublicCallRequest } from "../../protocol/tx/accumulated-data.ts";
import { REASON } from "../../protocol/tx/refusal-reasons.ts";
import type { DigestedTx } from "./tx-digest.ts";

/** Most fields of calldata of a tx, over all its calls. */
const MAX_CALLDATA_FIELDS = 16_000;

/** A rule that compares hashes. Faults that show without hashing are found first and leave no inputs to hash. */
interface HashedRule {
  inputs: HashInput[];
  /** The first reason why the rule is broken. `hashes` are those of the inputs, in order. */
  fault(hashes: readonly Uint8Array[]): string | undefined;
}

const broken = (reason: string): HashedRule => ({ inputs: [], fault: () => reason });

/**
 * Data rules 2 to 4 (docs/protocol/07-transactions-and-fees.md#713-rules-and-reasons). Each calldata is hashed once,
 * however many requests refer to it.
 */
export function calldataRule(requests: readonly PublicCallRequest[], tx: DigestedTx): HashedRule {
  const { publicFunctionCalldata } = tx;
  if (publicFunctionCalldata.length !== requests.length) return broken(REASON.calldataCount);
  const fields = publicFunctionCalldata.reduce((sum, { values }) => sum + values.length / 32, 0);
  if (fields > MAX_CALLDATA_FIELDS) return broken(REASON.calldataSize);
  const byClaim = new Map(publicFunctionCalldata.map(({ hash, values }) => [toHex(hash), values]));
  const wanted = new Map(requests.map(({ calldataHash }) => [toHex(calldataHash), calldataHash]));
  const claims = [...wanted];
  return {
    inputs: claims.map(([claim]) => calldataHashInput(byClaim.get(claim) ?? new Uint8Array(0))),
    fault: (hashes) => (claims.every(([, hash], i) => equal(hashes[i], hash)) ? undefined : REASON.calldata),
  };
}

/** Data rules 5 to 7 (docs/protocol/07-transactions-and-fees.md#713-rules-and-reasons). */
export function classLogRule(parts: readonly AccumulatedData[], tx: DigestedTx): HashedRule {
  const wanted = parts.flatMap(({ contractClassLogs }) => contractClassLogs);
  const bodies = tx.contractClassLogFields;
  if (wanted.length !== bodies.length) return broken(REASON.classLogCount);
  return {
    inputs: bodies.map((fields) => ({ fields })),
    fault(hashes) {
      for (const [i, { hash, length }] of wanted.entries()) {
        if (!equal(hash, hashes[i])) {
          return hashes.some((other) => equal(other, hash)) ? REASON.classLogOrder : REASON.classLogs;
        }
        if (length < usedFields(bodies[i])) return REASON.classLogLength;
      }
      return undefined;
    },
  };
}

/** Number of fields up to the last non-zero one. */
function usedFields(fields: Uint8Array): number {
  let count = fields.length / 32;
  while (count > 0 && isZero(fields.subarray((count - 1) * 32, count * 32))) count--;
  return count;
}
