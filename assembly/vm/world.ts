import { allocate, release } from "./allocate";
import { CELL, cellToWord, putSmall, tagOf, U1, U32, U64, wordToCell } from "./cell";
import { gather, requireField, requireKind, requireRange } from "./checks";
import {
  DUPLICATE_NULLIFIER, INVALID_MEMBER, OK, OUT_OF_GAS, RECIPIENT_RANGE, STATIC_CONTEXT, TOO_MANY_LOG_FIELDS, TOO_MANY_MESSAGES,
  TOO_MANY_NOTE_HASHES, TOO_MANY_NULLIFIERS, TOO_MANY_WRITES,
} from "./faults";
import { current, IS_STATIC } from "./frame";
import * as host from "./host";
import { MAIL } from "./host";
import { instanceMembers } from "./instruction-set";
import { readable, writable } from "./pages";
import { collectsDebugLogs, gasDA, takeDA, takeL2 } from "./state";

/**
 * Opcodes that read or change state (docs/protocol/06-public-execution.md#614-public-storage,
 * docs/protocol/06-public-execution.md#615-nullifiers-and-note-hashes,
 * docs/protocol/06-public-execution.md#616-messages-and-logs,
 * docs/protocol/06-public-execution.md#617-contract-instances and docs/protocol/06-public-execution.md#620-debug-logs).
 * Each takes its resolved operands and returns a fault.
 */

const WORD: usize = 32;

const NOTE_HASH_DA: u64 = 32;
const NULLIFIER_DA: u64 = 32;
const MESSAGE_DA: u64 = 32;
const COLD_WRITE_DA: u64 = 64;
const LOG_DA: u64 = 64;
const LOG_FIELD_DA: u64 = 32;
const LOG_FIELD_L2: u64 = 3;
/** Largest number of fields of one log: it fills the budget of a transaction. */
const MAX_LOG_FIELDS: u32 = 4094;

@inline
function operand(operands: usize, i: usize): usize {
  return readable(load<u32>(operands + (i << 2)));
}

@inline
function isStatic(): bool {
  return load<u32>(current, IS_STATIC) != 0;
}

/** Writes operand `i`, which must be a field element, to the MAIL word `at`. */
function mailField(operands: usize, i: u32, at: usize): u32 {
  const cell = operand(operands, i);
  const fault = requireField(i, cell);
  if (fault == OK) cellToWord(MAIL + at * WORD, cell);
  return fault;
}

/** slot, contract, destination */
export function loadStorage(operands: usize): u32 {
  let fault = mailField(operands, 0, 1);
  if (fault == OK) fault = mailField(operands, 1, 0);
  if (fault != OK) return fault;
  host.storageRead();
  wordToCell(writable(load<u32>(operands, 8)), MAIL + 2 * WORD);
  return OK;
}

/** value, slot */
export function storeStorage(operands: usize): u32 {
  let fault = mailField(operands, 0, 1);
  if (fault == OK) fault = mailField(operands, 1, 0);
  if (fault != OK) return fault;
  if (isStatic()) return STATIC_CONTEXT;
  const outcome = host.storageWrite(COLD_WRITE_DA <= <u64>gasDA);
  if (outcome == 2) return TOO_MANY_WRITES;
  return outcome == 0 || takeDA(COLD_WRITE_DA) ? OK : OUT_OF_GAS;
}

/** hash, leaf index, destination */
export function noteHashExists(operands: usize): u32 {
  const index = operand(operands, 1);
  let fault = mailField(operands, 0, 0);
  if (fault == OK) fault = requireKind(1, index, U64);
  if (fault != OK) return fault;
  putSmall(writable(load<u32>(operands, 8)), host.noteHashExists(load<u64>(index)), U1);
  return OK;
}

/** note hash */
export function emitNoteHash(operands: usize): u32 {
  const fault = mailField(operands, 0, 0);
  if (fault != OK) return fault;
  if (!takeDA(NOTE_HASH_DA)) return OUT_OF_GAS;
  if (isStatic()) return STATIC_CONTEXT;
  return host.emitNoteHash() == 0 ? OK : TOO_MANY_NOTE_HASHES;
}

/** siloed nullifier, destination */
export function nullifierExists(operands: usize): u32 {
  const fault = mailField(operands, 0, 0);
  if (fault != OK) return fault;
  putSmall(writable(load<u32>(operands, 4)), host.nullifierExists(), U1);
  return OK;
}

/** nullifier */
export function emitNullifier(operands: usize): u32 {
  const fault = mailField(operands, 0, 0);
  if (fault != OK) return fault;
  if (!takeDA(NULLIFIER_DA)) return OUT_OF_GAS;
  if (isStatic()) return STATIC_CONTEXT;
  const outcome = host.emitNullifier();
  return outcome == 0 ? OK : outcome == 1 ? TOO_MANY_NULLIFIERS : DUPLICATE_NULLIFIER;
}

/** hash, leaf index, destination */
export function l1ToL2MessageExists(operands: usize): u32 {
  const index = operand(operands, 1);
  let fault = mailField(operands, 0, 0);
  if (fault == OK) fault = requireKind(1, index, U64);
  if (fault != OK) return fault;
  putSmall(writable(load<u32>(operands, 8)), host.l1ToL2MessageExists(load<u64>(index)), U1);
  return OK;
}

/** address, destination of two cells */
export function getContractInstance(operands: usize, member: u32): u32 {
  let fault = mailField(operands, 0, 0);
  const out = load<u32>(operands, 4);
  if (fault == OK) fault = requireRange(out, 2);
  if (fault != OK) return fault;
  if (member >= instanceMembers) return INVALID_MEMBER;
  memory.fill(MAIL + WORD, 0, WORD);
  const exists = host.contractInstance(member);
  putSmall(writable(out), exists, U1);
  wordToCell(writable(out + 1), MAIL + WORD);
  return OK;
}

/** size, data */
export function emitPublicLog(operands: usize): u32 {
  const sizeCell = operand(operands, 0);
  let fault = requireKind(0, sizeCell, U32);
  if (fault != OK) return fault;
  const size = load<u32>(sizeCell);
  if (!takeL2(LOG_FIELD_L2 * <u64>size) || !takeDA(LOG_DA + LOG_FIELD_DA * <u64>size)) return OUT_OF_GAS;
  if (isStatic()) return STATIC_CONTEXT;
  const data = load<u32>(operands, 4);
  fault = requireRange(data, size);
  if (fault != OK) return fault;
  if (size > MAX_LOG_FIELDS) return TOO_MANY_LOG_FIELDS;
  const bytes = <usize>size * CELL;
  const fields = allocate(bytes);
  fault = gather(fields, data, size, 0);
  let outcome: u32 = 0;
  if (fault == OK) {
    for (let at = fields; at < fields + bytes; at += CELL) cellToWord(at, at);
    outcome = host.emitPublicLog(fields, size);
  }
  release(fields, bytes);
  return fault != OK ? fault : outcome == 0 ? OK : TOO_MANY_LOG_FIELDS;
}

/** recipient, content */
export function sendMessage(operands: usize): u32 {
  let fault = mailField(operands, 0, 0);
  if (fault == OK) fault = mailField(operands, 1, 1);
  if (fault != OK) return fault;
  if (!takeDA(MESSAGE_DA)) return OUT_OF_GAS;
  if (isStatic()) return STATIC_CONTEXT;
  const recipient = operand(operands, 0);
  if (load<u64>(recipient, 24) != 0 || load<u64>(recipient, 16) >> 32 != 0) return RECIPIENT_RANGE;
  return host.sendL2ToL1Message() == 0 ? OK : TOO_MANY_MESSAGES;
}

/** level, message, fields, size of fields; reads nothing if debug logs are not collected */
export function debugLog(operands: usize, messageSize: u32): void {
  if (!collectsDebugLogs) return;
  const level = operand(operands, 0);
  const size = operand(operands, 3);
  const fieldsSize = load<u32>(size);
  host.admitDebugLog(tagOf(level), load<u32>(level), tagOf(size), messageSize, fieldsSize);
  const messageAt = load<u32>(operands, 4);
  const fieldsAt = load<u32>(operands, 8);
  const fieldsBytes = <usize>fieldsSize * CELL;
  const bytes = fieldsBytes + messageSize;
  const fields = allocate(bytes);
  const message = fields + fieldsBytes;
  for (let i: u32 = 0; i < fieldsSize; i++) cellToWord(fields + <usize>i * CELL, readable(fieldsAt + i));
  for (let i: u32 = 0; i < messageSize; i++) store<u8>(message + i, load<u8>(readable(messageAt + i)));
  host.debugLog(load<u32>(level), message, messageSize, fields, fieldsSize);
  release(fields, bytes);
}
