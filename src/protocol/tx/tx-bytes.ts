import { readU32, toHex, writeU32 } from "../bytes.ts";
import { CONTRACT_CLASS_LOG_FIELDS } from "../constants.ts";
import { isCanonicalFr } from "../field.ts";
import { FieldRangeError, TruncatedError } from "./errors.ts";
import { chonkProof, type Tx, txBytes, txData } from "./tx.ts";

/** Width of one log's fields. */
const CLASS_LOG_BYTES = CONTRACT_CLASS_LOG_FIELDS * 32;
/** The count of each list is one byte. */
const MAX_ITEMS = 255;

/** A tx from a peer or the store. Its hash is claimed by the bytes and not checked. */
export interface ClaimedTx {
  hash: Uint8Array;
  tx: Tx;
  /** Offset of the byte after the tx. */
  next: number;
}

/**
 * Serializes a tx for peers and the store (docs/protocol/07-transactions-and-fees.md#73-binary-form):
 *
 *   hash 32 | data | proof: u32 count, fields | u8 n, n x 3023 fields | u8 m, m x (u32 length, fields, hash 32)
 *
 * Throws a RangeError for a tx with more class logs or calldata than a count can hold; no valid tx has that many.
 */
export function txToBytes(hash: Uint8Array, tx: Tx): Uint8Array {
  const { data, chonkProof: proof, contractClassLogFields, publicFunctionCalldata } = tx;
  for (const { length } of [contractClassLogFields, publicFunctionCalldata]) {
    if (length > MAX_ITEMS) throw new RangeError(`a tx's list has at most ${MAX_ITEMS} items, got ${length}`);
  }
  const out = new Uint8Array(txBytes(tx));
  let at = 0;
  const put = (bytes: Uint8Array): void => {
    out.set(bytes, at);
    at += bytes.length;
  };
  put(hash);
  put(data);
  put(proof);
  out[at++] = contractClassLogFields.length;
  for (const fields of contractClassLogFields) put(fields);
  out[at++] = publicFunctionCalldata.length;
  for (const { values, hash: own } of publicFunctionCalldata) {
    writeU32(out, at, values.length / 32);
    at += 4;
    put(values);
    put(own);
  }
  return out;
}

/**
 * Inverse of txToBytes, from offset `start` on; the parts are views. `proofFields` are those of the generation
 * (TransactionRules). Bytes after the tx are ignored. Throws a TruncatedError, FieldRangeError
 * or ProofLengthError for the first part that is cut off, too large or of wrong length.
 */
export function txFromBytes(bytes: Uint8Array, start: number, proofFields: number): ClaimedTx {
  let at = start;
  const take = (width: number): Uint8Array => {
    if (at + width > bytes.length) throw new TruncatedError(at, width, bytes.length);
    at += width;
    return bytes.subarray(at - width, at);
  };
  const fields = (count: number): Uint8Array => {
    const run = take(count * 32);
    for (let i = 0; i < count; i++) {
      if (!isCanonicalFr(run, i * 32)) throw new FieldRangeError(toHex(run.subarray(i * 32, i * 32 + 32)));
    }
    return run;
  };
  const hash = fields(1);
  const data = take(txData(bytes.subarray(at)).length);
  const proof = take(chonkProof(bytes.subarray(at), proofFields).length);
  const list = <T>(item: () => T): T[] => Array.from({ length: take(1)[0] }, item);
  const contractClassLogFields = list(() => fields(CLASS_LOG_BYTES / 32));
  const publicFunctionCalldata = list(() => ({ values: fields(readU32(take(4), 0)), hash: fields(1) }));
  return { hash, tx: { data, chonkProof: proof, contractClassLogFields, publicFunctionCalldata }, next: at };
}
