import type { Core } from "../../core/core.ts";
import { calldataHash } from "../../core/derive/call-hashes.ts";
import { equal, isZero, toHex } from "../../protocol/bytes.ts";
import type { AccumulatedData, PublicCallRequest } from "../../protocol/tx/accumulated-data.ts";
import type { Tx } from "../../protocol/tx/tx.ts";
import { REASON } from "../validation/reasons.ts";

/** Fields of all calldata of a tx. */
export const MAX_CALLDATA_FIELDS = 16_000;

/** Data rules 2 to 4 (sheet 06 section 1.2). Each calldata is hashed once, however many requests name it. */
export function calldataFault(core: Core, requests: readonly PublicCallRequest[], tx: Tx): string | undefined {
  const { publicFunctionCalldata } = tx;
  if (publicFunctionCalldata.length !== requests.length) return REASON.calldataCount;
  const fields = publicFunctionCalldata.reduce((sum, { values }) => sum + values.length / 32, 0);
  if (fields > MAX_CALLDATA_FIELDS) return REASON.calldataSize;
  const byClaim = new Map(publicFunctionCalldata.map(({ hash, values }) => [toHex(hash), values]));
  const holds = new Map<string, boolean>();
  for (const { calldataHash: wanted } of requests) {
    const claim = toHex(wanted);
    let right = holds.get(claim);
    if (right === undefined) {
      right = equal(calldataHash(core, byClaim.get(claim) ?? new Uint8Array(0)), wanted);
      holds.set(claim, right);
    }
    if (!right) return REASON.calldata;
  }
  return undefined;
}

/** Data rules 5 to 7 (sheet 06 section 1.2). */
export function classLogFault(core: Core, parts: readonly AccumulatedData[], tx: Tx): string | undefined {
  const wanted = parts.flatMap(({ contractClassLogs }) => contractClassLogs);
  const bodies = tx.contractClassLogFields;
  if (wanted.length !== bodies.length) return REASON.classLogCount;
  const hashes = bodies.map((fields) => core.hash(fields));
  for (const [i, { hash, length }] of wanted.entries()) {
    if (!equal(hash, hashes[i])) {
      return hashes.some((other) => equal(other, hash)) ? REASON.classLogOrder : REASON.classLogs;
    }
    if (length < usedFields(bodies[i])) return REASON.classLogLength;
  }
  return undefined;
}

/** Fields up to the last one that is not zero. */
function usedFields(fields: Uint8Array): number {
  let count = fields.length / 32;
  while (count > 0 && isZero(fields.subarray((count - 1) * 32, count * 32))) count--;
  return count;
}
