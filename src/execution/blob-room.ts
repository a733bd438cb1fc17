import {
  type AccumulatedData,
  isForPublic,
  privateAccumulatedData,
  publicAccumulatedData,
} from "../protocol/tx/accumulated-data.ts";

/** Start marker, hash and fee. */
const FIXED_FIELDS = 3;

/**
 * Minimum number of blob fields of a tx: those of its private part, known before it is executed
 * (docs/protocol/08-building-and-checkpoints.md#811-choosing-transactions).
 */
export function minBlobFields(data: Uint8Array): number {
  if (!isForPublic(data)) return FIXED_FIELDS + fieldsOf(privateAccumulatedData(data));
  const { nonRevertible, revertible } = publicAccumulatedData(data);
  return FIXED_FIELDS + fieldsOf(nonRevertible) + fieldsOf(revertible);
}

function fieldsOf({ noteHashes, nullifiers, l2ToL1Msgs, privateLogs, contractClassLogs }: AccumulatedData): number {
  return (
    noteHashes.length +
    nullifiers.length +
    l2ToL1Msgs.length +
    privateLogs.reduce((sum, fields) => sum + 1 + fields.length / 32, 0) +
    contractClassLogs.reduce((sum, { length }) => sum + 1 + length, 0)
  );
}
