import { isZero, readUint, word } from "./bytes.ts";
import {
  CONTRACT_CLASS_LOG_FIELDS,
  MAX_L2_TO_L1_MSGS_PER_TX,
  MAX_NOTE_HASHES_PER_TX,
  MAX_NULLIFIERS_PER_TX,
  MAX_PRIVATE_LOGS_PER_TX,
  MAX_PUBLIC_DATA_WRITES_PER_TX,
  MAX_PUBLIC_LOG_FIELDS_PER_TX,
  PRIVATE_LOG_FIELDS,
} from "./constants.ts";
import { DecodeError } from "./errors.ts";

/**
 * The effects of one transaction, as views into its blob words (docs/protocol/03-blocks-and-blobs.md#311-grammar,
 * docs/protocol/03-blocks-and-blobs.md#312-marker-words and
 * docs/protocol/03-blocks-and-blobs.md#313-transaction-effects). The words are also the stored form: nothing is copied
 * between the blob, the database and the encoder of a response.
 */
export interface TxEffect {
  /** All words of the tx, start marker first. */
  words: Uint8Array;
  /**
   * As in the marker: 0 ok, any other value reverted. The release writes 1; releases before 4.3 wrote 2 for the
   * teardown and 3 for teardown and app logic (docs/protocol/06-public-execution.md#625-revert-codes).
   */
  revertCode: number;
  txHash: Uint8Array;
  transactionFee: Uint8Array;
  /** n x 32 bytes. */
  noteHashes: Uint8Array;
  nullifiers: Uint8Array;
  l2ToL1Msgs: Uint8Array;
  /** n x 64 bytes: leaf slot, value. */
  publicDataWrites: Uint8Array;
  /** Emitted fields of each log. */
  privateLogs: Uint8Array[];
  publicLogs: { contractAddress: Uint8Array; fields: Uint8Array }[];
  /** At most one; emitted fields only. */
  contractClassLogs: { contractAddress: Uint8Array; fields: Uint8Array }[];
}

export const TX_START_PREFIX = 0x9c707518;

/** The effect with another revert code, in a copy of its words. */
export function withRevertCode(effect: TxEffect, code: number): TxEffect {
  const words = Uint8Array.from(effect.words);
  words[32 - MARKER_BYTES + REVERT_CODE_AT] = code;
  return readTxEffect(words, 0).effect;
}

/**
 * Start marker: right-aligned in its word, with the prefix before these fields
 * (docs/protocol/03-blocks-and-blobs.md#312-marker-words).
 */
interface Marker {
  noteHashes: number;
  nullifiers: number;
  l2ToL1Msgs: number;
  publicDataWrites: number;
  privateLogs: number;
  publicLogWords: number;
  contractClassLogWords: number;
  revertCode: number;
}

/** Bytes below the prefix: 2+2+2+2+2+2+4+2+1+4. */
const MARKER_BYTES = 23;
/** Offset of the revert code below the prefix. */
const REVERT_CODE_AT = 18;

function isTxStart(words: Uint8Array, at: number): boolean {
  const start = at * 32 + 32 - MARKER_BYTES;
  return isZero(words.subarray(at * 32, start - 4)) && readUint(words, start - 4, 4) === TX_START_PREFIX;
}

function readMarker(words: Uint8Array, index: number): Marker {
  const at = index * 32 + 32 - MARKER_BYTES;
  return {
    noteHashes: readUint(words, at, 2),
    nullifiers: readUint(words, at + 2, 2),
    l2ToL1Msgs: readUint(words, at + 4, 2),
    publicDataWrites: readUint(words, at + 6, 2),
    privateLogs: readUint(words, at + 8, 2),
    publicLogWords: readUint(words, at + 12, 4),
    contractClassLogWords: readUint(words, at + 16, 2),
    revertCode: words[at + REVERT_CODE_AT],
  };
}

function checkCount(subject: string, name: string, count: number, most: number): void {
  if (count > most) throw new DecodeError(subject, `${name} must be at most ${most}, got ${count}`);
}

function checkNonZero(subject: string, name: string, values: Uint8Array, width: number): void {
  for (let at = 0; at < values.length; at += width) {
    if (isZero(values.subarray(at, at + width))) {
      throw new DecodeError(subject, `${name}[${at / width}] must not be zero`);
    }
  }
}

/**
 * Reads the tx that starts at word `index`. Throws a DecodeError that names the field and rule. The marker's sums
 * (words of private logs, words of the tx) are not checked: the reference node does not check them, and the blob sponge
 * commits to the words.
 * @returns the effect and the index of the word after it.
 */
export function readTxEffect(words: Uint8Array, index: number): { effect: TxEffect; next: number } {
  const subject = `tx effect at blob word ${index}`;
  const total = words.length / 32;
  if (!isTxStart(words, index)) throw new DecodeError(subject, "must start with a tx start marker");
  const m = readMarker(words, index);
  checkCount(subject, "noteHashes", m.noteHashes, MAX_NOTE_HASHES_PER_TX);
  checkCount(subject, "nullifiers", m.nullifiers, MAX_NULLIFIERS_PER_TX);
  checkCount(subject, "l2ToL1Msgs", m.l2ToL1Msgs, MAX_L2_TO_L1_MSGS_PER_TX);
  checkCount(subject, "publicDataWrites", m.publicDataWrites, MAX_PUBLIC_DATA_WRITES_PER_TX);
  checkCount(subject, "privateLogs", m.privateLogs, MAX_PRIVATE_LOGS_PER_TX);
  checkCount(subject, "publicLogs words", m.publicLogWords, MAX_PUBLIC_LOG_FIELDS_PER_TX);
  checkCount(subject, "contractClassLog words", m.contractClassLogWords, CONTRACT_CLASS_LOG_FIELDS);

  let at = index + 1;
  const take = (name: string, count: number): Uint8Array => {
    if (at + count > total) {
      throw new DecodeError(subject, `${name} needs ${count} words, ${Math.max(total - at, 0)} are left`);
    }
    const run = words.subarray(at * 32, (at + count) * 32);
    at += count;
    return run;
  };

  const txHash = take("txHash", 1);
  const transactionFee = take("transactionFee", 1);
  const noteHashes = take("noteHashes", m.noteHashes);
  const nullifiers = take("nullifiers", m.nullifiers);
  const l2ToL1Msgs = take("l2ToL1Msgs", m.l2ToL1Msgs);
  const publicDataWrites = take("publicDataWrites", 2 * m.publicDataWrites);
  checkNonZero(subject, "noteHashes", noteHashes, 32);
  checkNonZero(subject, "nullifiers", nullifiers, 32);
  checkNonZero(subject, "l2ToL1Msgs", l2ToL1Msgs, 32);
  checkNonZero(subject, "publicDataWrites", publicDataWrites, 64);

  const privateLogs: Uint8Array[] = [];
  for (let i = 0; i < m.privateLogs; i++) {
    const length = readLength(take(`privateLogs[${i}].length`, 1));
    if (length < 1 || length > PRIVATE_LOG_FIELDS) {
      throw new DecodeError(subject, `privateLogs[${i}].length must be 1 to ${PRIVATE_LOG_FIELDS}, got ${length}`);
    }
    privateLogs.push(take(`privateLogs[${i}]`, length));
  }

  const publicLogs: TxEffect["publicLogs"] = [];
  const publicEnd = at + m.publicLogWords;
  while (at < publicEnd) {
    const length = readLength(take("publicLogs length", 1));
    const contractAddress = take("publicLogs contract address", 1);
    publicLogs.push({ contractAddress, fields: take("publicLogs fields", length) });
  }
  if (at !== publicEnd) throw new DecodeError(subject, `publicLogs end ${at - publicEnd} words after their length`);

  const contractClassLogs: TxEffect["contractClassLogs"] = [];
  if (m.contractClassLogWords > 0) {
    const contractAddress = take("contractClassLog address", 1);
    contractClassLogs.push({ contractAddress, fields: take("contractClassLog", m.contractClassLogWords) });
  }
  return {
    effect: {
      words: words.subarray(index * 32, at * 32),
      revertCode: m.revertCode,
      txHash,
      transactionFee,
      noteHashes,
      nullifiers,
      l2ToL1Msgs,
      publicDataWrites,
      privateLogs,
      publicLogs,
      contractClassLogs,
    },
    next: at,
  };
}

/** A count that fills a whole word. A value above 2^32 is read as a number that no rule accepts. */
function readLength(field: Uint8Array): number {
  return isZero(field.subarray(0, 28)) ? readUint(field, 28, 4) : Number.MAX_SAFE_INTEGER;
}

/** Reads the concatenated effects of a block, as stored. */
export function readTxEffects(words: Uint8Array): TxEffect[] {
  const effects: TxEffect[] = [];
  for (let at = 0; at < words.length / 32; ) {
    const { effect, next } = readTxEffect(words, at);
    effects.push(effect);
    at = next;
  }
  return effects;
}

/** Splits concatenated words into 32-byte items. */
export function items(run: Uint8Array): Uint8Array[] {
  return Array.from({ length: run.length / 32 }, (_, i) => word(run, i));
}
