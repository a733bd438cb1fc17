import { concat, writeU32, writeUint } from "./bytes.ts";
import { DecodeError } from "./errors.ts";
import { readTxEffect, TX_START_PREFIX, type TxEffect } from "./tx-effect.ts";

/** The parts of a tx effect, as separate byte arrays. */
export type TxEffectParts = Omit<TxEffect, "words">;

/**
 * Start of the marker's prefix in its word; the counts follow it
 * (docs/protocol/03-blocks-and-blobs.md#312-marker-words).
 */
const PREFIX_AT = 5;

/**
 * Encodes an effect as blob words and decodes it again, which checks all rules of effects. Throws a DecodeError when
 * one is broken (docs/protocol/03-blocks-and-blobs.md#313-transaction-effects).
 */
export function txEffectFromParts(parts: TxEffectParts): TxEffect {
  const { noteHashes, nullifiers, l2ToL1Msgs, publicDataWrites, privateLogs, publicLogs, contractClassLogs } = parts;
  if (contractClassLogs.length > 1) {
    throw new DecodeError("tx effect", `contract class logs must be at most 1, got ${contractClassLogs.length}`);
  }
  const publicLogWords = publicLogs.reduce((sum, { fields }) => sum + 2 + fields.length / 32, 0);
  const classLogWords = (contractClassLogs.at(0)?.fields.length ?? 0) / 32;
  const words = concat(
    new Uint8Array(32),
    parts.txHash,
    parts.transactionFee,
    noteHashes,
    nullifiers,
    l2ToL1Msgs,
    publicDataWrites,
    ...privateLogs.flatMap((fields) => [lengthWord(fields), fields]),
    ...publicLogs.flatMap(({ contractAddress, fields }) => [lengthWord(fields), contractAddress, fields]),
    ...(classLogWords === 0
      ? []
      : contractClassLogs.flatMap(({ contractAddress, fields }) => [contractAddress, fields])),
  );
  let at = PREFIX_AT;
  const write = (value: number, width: number) => {
    writeUint(words, at, width, value);
    at += width;
  };
  writeU32(words, PREFIX_AT, TX_START_PREFIX);
  at += 4;
  write(noteHashes.length / 32, 2);
  write(nullifiers.length / 32, 2);
  write(l2ToL1Msgs.length / 32, 2);
  write(publicDataWrites.length / 64, 2);
  write(privateLogs.length, 2);
  write(
    privateLogs.reduce((sum, fields) => sum + fields.length / 32, 0),
    2,
  );
  write(publicLogWords, 4);
  write(classLogWords, 2);
  write(parts.revertCode, 1);
  write(words.length / 32, 4);
  return readTxEffect(words, 0).effect;
}

function lengthWord(fields: Uint8Array): Uint8Array {
  const count = new Uint8Array(32);
  writeU32(count, 28, fields.length / 32);
  return count;
}
