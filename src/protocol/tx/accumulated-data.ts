import { isZero, readU32 } from "../bytes.ts";
import {
  CONTRACT_CLASS_LOG_FIELDS,
  MAX_L2_TO_L1_MSGS_PER_TX,
  MAX_NOTE_HASHES_PER_TX,
  MAX_NULLIFIERS_PER_TX,
  MAX_PRIVATE_LOGS_PER_TX,
  PRIVATE_LOG_FIELDS,
} from "../constants.ts";
import { DecodeError } from "../errors.ts";
import { MAX_CONTRACT_CLASS_LOGS_PER_TX, MAX_PUBLIC_CALLS_PER_TX, TX_DATA_AT } from "./kernel-output.ts";

/**
 * A message to L1 as a contract sends it. Its hash covers these values and the network's identity
 * (docs/protocol/01-fields-and-hashing.md#116-messages).
 */
export interface L2ToL1Message {
  /** 20 bytes. */
  recipient: Uint8Array;
  content: Uint8Array;
  contractAddress: Uint8Array;
}

/** A contract class log in the kernel's output: the hash of its 3023 fields and how many of them were emitted. */
interface ContractClassLogHash {
  hash: Uint8Array;
  length: number;
  contractAddress: Uint8Array;
}

/**
 * The effects that the private part of a tx accumulated, as views into its `data`, without empty entries
 * (docs/protocol/07-transactions-and-fees.md#72-kernel-output, A).
 */
export interface AccumulatedData {
  noteHashes: Uint8Array[];
  nullifiers: Uint8Array[];
  l2ToL1Msgs: L2ToL1Message[];
  /** Emitted fields of each log. */
  privateLogs: Uint8Array[];
  contractClassLogs: ContractClassLogHash[];
}

/** A public call that the private part enqueued. */
export interface PublicCallRequest {
  msgSender: Uint8Array;
  contractAddress: Uint8Array;
  isStaticCall: boolean;
  calldataHash: Uint8Array;
}

/**
 * Accumulated data of a tx with public calls: the parts that stay when its app logic reverts, and those that do not.
 */
export interface PublicAccumulatedData {
  nonRevertible: AccumulatedData;
  revertible: AccumulatedData;
  setupCalls: PublicCallRequest[];
  appCalls: PublicCallRequest[];
  teardownCall: PublicCallRequest | undefined;
}

const NOTE_HASHES_AT = 0;
const NULLIFIERS_AT = NOTE_HASHES_AT + MAX_NOTE_HASHES_PER_TX * 32;
const MESSAGES_AT = NULLIFIERS_AT + MAX_NULLIFIERS_PER_TX * 32;
const MESSAGE_BYTES = 20 + 32 + 32;
const PRIVATE_LOGS_AT = MESSAGES_AT + MAX_L2_TO_L1_MSGS_PER_TX * MESSAGE_BYTES;
const PRIVATE_LOG_BYTES = PRIVATE_LOG_FIELDS * 32 + 4;
const CLASS_LOGS_AT = PRIVATE_LOGS_AT + MAX_PRIVATE_LOGS_PER_TX * PRIVATE_LOG_BYTES;
const CLASS_LOG_BYTES = 32 + 4 + 32;
const CALLS_AT = CLASS_LOGS_AT + MAX_CONTRACT_CLASS_LOGS_PER_TX * CLASS_LOG_BYTES;
const CALL_BYTES = 32 + 32 + 1 + 32;
const WITH_CALLS_BYTES = CALLS_AT + MAX_PUBLIC_CALLS_PER_TX * CALL_BYTES;

/** Arrays that a template repeats; `publicCalls` exists only in a tx with public calls. */
export const ACCUMULATED_ARRAYS = {
  noteHashes: { at: NOTE_HASHES_AT, width: 32, max: MAX_NOTE_HASHES_PER_TX },
  nullifiers: { at: NULLIFIERS_AT, width: 32, max: MAX_NULLIFIERS_PER_TX },
  privateLogs: { at: PRIVATE_LOGS_AT, width: PRIVATE_LOG_BYTES, max: MAX_PRIVATE_LOGS_PER_TX },
  publicCalls: { at: CALLS_AT, width: CALL_BYTES, max: MAX_PUBLIC_CALLS_PER_TX },
} as const;

/** Offset of the revertible part of a tx with public calls. */
export const REVERTIBLE_AT = TX_DATA_AT.accumulated + WITH_CALLS_BYTES;

/** Whether `data` has the form of a tx with public calls. */
export function isForPublic(data: Uint8Array): boolean {
  return data[TX_DATA_AT.forPublic] !== 0;
}

/** Accumulated data of a tx without public calls. Throws a DecodeError for a log that is longer than its fields. */
export function privateAccumulatedData(data: Uint8Array): AccumulatedData {
  return accumulatedData(data.subarray(TX_DATA_AT.accumulated));
}

/** Accumulated data of a tx with public calls. Throws like privateAccumulatedData. */
export function publicAccumulatedData(data: Uint8Array): PublicAccumulatedData {
  const at = TX_DATA_AT.accumulated;
  const nonRevertible = data.subarray(at, at + WITH_CALLS_BYTES);
  const revertible = data.subarray(at + WITH_CALLS_BYTES, at + 2 * WITH_CALLS_BYTES);
  return {
    nonRevertible: accumulatedData(nonRevertible),
    revertible: accumulatedData(revertible),
    setupCalls: callRequests(nonRevertible, CALLS_AT, MAX_PUBLIC_CALLS_PER_TX),
    appCalls: callRequests(revertible, CALLS_AT, MAX_PUBLIC_CALLS_PER_TX),
    teardownCall: callRequests(data, at + 2 * WITH_CALLS_BYTES, 1).at(0),
  };
}

function accumulatedData(bytes: Uint8Array): AccumulatedData {
  return {
    noteHashes: presentEntries(bytes, NOTE_HASHES_AT, MAX_NOTE_HASHES_PER_TX, 32),
    nullifiers: presentEntries(bytes, NULLIFIERS_AT, MAX_NULLIFIERS_PER_TX, 32),
    l2ToL1Msgs: presentEntries(bytes, MESSAGES_AT, MAX_L2_TO_L1_MSGS_PER_TX, MESSAGE_BYTES)
      .map((entry) => ({
        recipient: entry.subarray(0, 20),
        content: entry.subarray(20, 52),
        contractAddress: entry.subarray(52, 84),
      }))
      .filter(({ contractAddress }) => !isZero(contractAddress)),
    privateLogs: privateLogs(bytes),
    contractClassLogs: presentEntries(bytes, CLASS_LOGS_AT, MAX_CONTRACT_CLASS_LOGS_PER_TX, CLASS_LOG_BYTES).map(
      (entry) => ({
        hash: entry.subarray(0, 32),
        length: checkedLength("contract class log", readU32(entry, 32), CONTRACT_CLASS_LOG_FIELDS),
        contractAddress: entry.subarray(36, 68),
      }),
    ),
  };
}

/** An entry counts as a log if its length is not zero, even when its fields are. */
function privateLogs(bytes: Uint8Array): Uint8Array[] {
  const logs: Uint8Array[] = [];
  for (let i = 0, at = PRIVATE_LOGS_AT; i < MAX_PRIVATE_LOGS_PER_TX; i++, at += PRIVATE_LOG_BYTES) {
    const length = checkedLength("private log", readU32(bytes, at + PRIVATE_LOG_FIELDS * 32), PRIVATE_LOG_FIELDS);
    if (length > 0) logs.push(bytes.subarray(at, at + length * 32));
  }
  return logs;
}

function callRequests(bytes: Uint8Array, at: number, count: number): PublicCallRequest[] {
  return presentEntries(bytes, at, count, CALL_BYTES).map((entry) => ({
    msgSender: entry.subarray(0, 32),
    contractAddress: entry.subarray(32, 64),
    isStaticCall: entry[64] !== 0,
    calldataHash: entry.subarray(65, 97),
  }));
}

const ZEROS = new Uint8Array(WITH_CALLS_BYTES);

/**
 * The entries of an array that are not all zero. After the last of them one comparison covers the rest, which is most
 * of a tx.
 */
function presentEntries(bytes: Uint8Array, from: number, count: number, width: number): Uint8Array[] {
  const entries: Uint8Array[] = [];
  const end = from + count * width;
  for (let at = from; at < end; at += width) {
    const entry = bytes.subarray(at, at + width);
    if (!isAllZero(entry)) entries.push(entry);
    else if (isAllZero(bytes.subarray(at, end))) break;
  }
  return entries;
}

function isAllZero(bytes: Uint8Array): boolean {
  return Buffer.compare(bytes, ZEROS.subarray(0, bytes.length)) === 0;
}

function checkedLength(subject: string, length: number, most: number): number {
  if (length > most) throw new DecodeError(subject, `length must be at most ${most}, got ${length}`);
  return length;
}
