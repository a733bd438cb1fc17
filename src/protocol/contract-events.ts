import { equal, fromHex, isZero, readBigUint, readUint, word } from "./bytes.ts";
import { CONTRACT_CLASS_LOG_FIELDS, PRIVATE_LOG_FIELDS } from "./constants.ts";
import { DecodeError } from "./errors.ts";
import { fr } from "./field.ts";
import type { TxEffect } from "./tx-effect.ts";

/**
 * Events that the class registry and the instance registry emit as logs
 * (docs/protocol/03-blocks-and-blobs.md#320-contract-events). The class registry's events that broadcast functions are
 * not read, because no RPC answer depends on them.
 */
export const INSTANCE_REGISTRY: Uint8Array = fr(2);
export const CLASS_REGISTRY: Uint8Array = fr(3);

/** First field of each kind of log. The tag of an instance's private log is siloed with the registry's address. */
export const CLASS_PUBLISHED = fromHex("0x20f5895a4e837356c2d551743df6bf642756dcd93cd31cbd37c556c90bf7f244");
export const INSTANCE_PUBLISHED = fromHex("0x1a7e1badb79abdd38c684b3c8306ffe7ecb33c69e3380d9855730aaaa83a21a8");
export const INSTANCE_UPDATED = fromHex("0x2dcffa53cd0e71da7b4a22677b3342bfc3b9043f5081bea58368ad008eaa6f37");

const VERSION = 1;

export interface ClassPublished {
  id: Uint8Array;
  artifactHash: Uint8Array;
  privateFunctionsRoot: Uint8Array;
  packedBytecode: Uint8Array;
}

export interface InstancePublished {
  address: Uint8Array;
  salt: Uint8Array;
  /** Class at deployment; the address commits to it. */
  classId: Uint8Array;
  initializationHash: Uint8Array;
  /** npk, ivpk, ovpk, tpk: 64 bytes each, x then y. */
  publicKeys: Uint8Array;
  deployer: Uint8Array;
}

export interface InstanceUpdated {
  address: Uint8Array;
  /** Zero: the original class. */
  previousClassId: Uint8Array;
  newClassId: Uint8Array;
  /** Seconds; any field element. */
  timestampOfChange: bigint;
}

type AddressedLog = TxEffect["publicLogs"][number];

export function isClassPublished(log: AddressedLog): boolean {
  return equal(log.contractAddress, CLASS_REGISTRY) && equal(word(log.fields, 0), CLASS_PUBLISHED);
}

/** The siloed tag suffices: no other contract can emit a log with this tag. */
export function isInstancePublished(fields: Uint8Array): boolean {
  return equal(word(fields, 0), INSTANCE_PUBLISHED);
}

export function isInstanceUpdated(log: AddressedLog): boolean {
  return equal(log.contractAddress, INSTANCE_REGISTRY) && equal(word(log.fields, 0), INSTANCE_UPDATED);
}

/**
 * Words of a contract class log: 0 magic | 1 class id | 2 version | 3 artifact hash | 4 private functions root | 5 byte
 * length | 6 chunks.
 */
const CHUNKS_AT = 6;
/** Payload bytes of each chunk word, after one zero byte. */
const CHUNK_BYTES = 31;
const MAX_BYTECODE = (CONTRACT_CLASS_LOG_FIELDS - CHUNKS_AT) * CHUNK_BYTES;

/**
 * Reads the emitted fields of a contract class log. Fields that were not emitted count as zero, as in the log's padded
 * form. The caller must check the class id. Throws a DecodeError.
 */
export function readClassPublished(emitted: Uint8Array): ClassPublished {
  const fields = emitted.length < CHUNKS_AT * 32 ? padded(emitted, CHUNKS_AT) : emitted;
  const subject = "ContractClassPublished";
  checkVersion(subject, word(fields, 2));
  const length = smallNumber(word(fields, 5));
  if (length > MAX_BYTECODE) {
    throw new DecodeError(subject, `bytecode must be at most ${MAX_BYTECODE} bytes, the event says ${length}`);
  }
  const packedBytecode = new Uint8Array(length);
  for (let at = 0, i = CHUNKS_AT; at < length && i * 32 < fields.length; at += CHUNK_BYTES, i++) {
    const chunk = word(fields, i).subarray(1);
    packedBytecode.set(length - at < CHUNK_BYTES ? chunk.subarray(0, length - at) : chunk, at);
  }
  return {
    id: word(fields, 1),
    artifactHash: word(fields, 3),
    privateFunctionsRoot: word(fields, 4),
    packedBytecode,
  };
}

/**
 * Reads the emitted fields of a private log. Fields that were not emitted count as zero, as in the log's padded form.
 * Words: 0 tag | 1 address
 * | 2 version | 3 salt | 4 class id | 5 initialization hash | 6 public keys (8) | 14 deployer. The caller must check
 * the address. Throws a DecodeError.
 */
export function readInstancePublished(emitted: Uint8Array): InstancePublished {
  const fields = padded(emitted, PRIVATE_LOG_FIELDS);
  checkVersion("ContractInstancePublished", word(fields, 2));
  return {
    address: word(fields, 1),
    salt: word(fields, 3),
    classId: word(fields, 4),
    initializationHash: word(fields, 5),
    publicKeys: fields.subarray(6 * 32, 14 * 32),
    deployer: word(fields, 14),
  };
}

/**
 * Reads the fields of a public log, which has no padded form. Words: 0 magic | 1 address | 2 previous class id | 3 new
 * class id
 * | 4 timestamp of change. Throws a DecodeError.
 */
export function readInstanceUpdated(fields: Uint8Array): InstanceUpdated {
  if (fields.length < 5 * 32) {
    throw new DecodeError("ContractInstanceUpdated", `must have at least 5 fields, got ${fields.length / 32}`);
  }
  return {
    address: word(fields, 1),
    previousClassId: word(fields, 2),
    newClassId: word(fields, 3),
    timestampOfChange: readBigUint(fields, 4 * 32, 32),
  };
}

function padded(fields: Uint8Array, count: number): Uint8Array {
  if (fields.length >= count * 32) return fields;
  const words = new Uint8Array(count * 32);
  words.set(fields);
  return words;
}

function checkVersion(subject: string, field: Uint8Array): void {
  const version = smallNumber(field);
  if (version !== VERSION) throw new DecodeError(subject, `version must be ${VERSION}, got ${version}`);
}

/** The field as a number; Infinity if it is 2^48 or more. */
function smallNumber(field: Uint8Array): number {
  return isZero(field.subarray(0, 26)) ? readUint(field, 26, 6) : Number.POSITIVE_INFINITY;
}
