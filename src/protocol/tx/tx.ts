import { readU32, toHex, writeU32 } from "../bytes.ts";
import { isCanonicalFr } from "../field.ts";
import { FieldRangeError, ProofLengthError, TruncatedError } from "./errors.ts";
import { layoutOf } from "./kernel-output.ts";

/** A well-formed tx, as clients send it. It does not include the hash, which is derived from `data`. */
export interface Tx {
  /** See kernel-output.ts: 38,557 bytes without public calls, 82,722 with them. */
  data: Uint8Array;
  /** u32 count, then as many fields as the generation's proofs have. */
  chonkProof: Uint8Array;
  /** 3023 x 32 bytes each, zero padded. */
  contractClassLogFields: Uint8Array[];
  /** Calldata of the public calls: setup, app, teardown. `values` is n x 32 bytes, the function selector first. */
  publicFunctionCalldata: { values: Uint8Array; hash: Uint8Array }[];
}

function checkField(bytes: Uint8Array, at: number): void {
  if (!isCanonicalFr(bytes, at)) throw new FieldRangeError(toHex(bytes.subarray(at, at + 32)));
}

/**
 * The public inputs at the start of `bytes`; later bytes are ignored. Throws a TruncatedError or FieldRangeError for
 * the first part that is cut off or too large.
 */
export function txData(bytes: Uint8Array): Uint8Array {
  const layout = layoutOf(bytes);
  const { at, width, isField } = layout;
  for (let i = 0; i < at.length; i++) {
    if (at[i] + width[i] > bytes.length) throw new TruncatedError(at[i], width[i], bytes.length);
    if (isField[i] === 1) checkField(bytes, at[i]);
  }
  return bytes.subarray(0, layout.bytes);
}

/**
 * The proof at the start of `bytes`; later bytes are ignored. Throws like txData, and a ProofLengthError for a wrong
 * count, which is a generation's.
 */
export function chonkProof(bytes: Uint8Array, fields: number): Uint8Array {
  if (bytes.length < 4) throw new TruncatedError(0, 4, bytes.length);
  const count = readU32(bytes, 0);
  for (let i = 0; i < count; i++) {
    const at = 4 + i * 32;
    if (at + 32 > bytes.length) throw new TruncatedError(at, 32, bytes.length);
    checkField(bytes, at);
  }
  if (count !== fields) throw new ProofLengthError(count);
  return bytes.subarray(0, 4 + fields * 32);
}

/** A proof whose fields are all zero. */
export function emptyProof(fields: number): Uint8Array {
  const proof = new Uint8Array(4 + fields * 32);
  writeU32(proof, 0, fields);
  return proof;
}

/** The tx with an empty proof in place of its own, of the same length, because a generation reads no other. */
export function withoutProof(tx: Tx): Tx {
  return { ...tx, chonkProof: emptyProof(readU32(tx.chonkProof, 0)) };
}

/** Serialised size: hash, data, proof, u8 count of class logs, u8 count of calldata with u32 lengths and hashes. */
export function txBytes(tx: Tx): number {
  const logs = tx.contractClassLogFields.reduce((sum, fields) => sum + fields.length, 1);
  const calldata = tx.publicFunctionCalldata.reduce((sum, { values }) => sum + 4 + values.length + 32, 1);
  return 32 + tx.data.length + tx.chonkProof.length + logs + calldata;
}
