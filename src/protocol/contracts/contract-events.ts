import { equal, fromHex, readBigUint, word } from "../bytes.ts";
import { CONTRACT_CLASS_LOG_FIELDS } from "../constants.ts";
import { DecodeError } from "../errors.ts";
import { type Fr, fr } from "../field.ts";
import type { ContractRules } from "../generations/contracts.ts";
import { checkEventVersion, paddedFields, smallNumber } from "../generations/event-fields.ts";
import type { TxEffect } from "../tx-effect.ts";

/**
 * Events that the class registry and the instance registry emit as logs
 * (docs/protocol/03-blocks-and-blobs.md#320-contract-events). The class registry's events that broadcast functions are
 * not read, because no RPC answer depends on them.
 */
export const INSTANCE_REGISTRY: Fr = fr(2);

/** First field of each kind of log. The tag of an instance's private log is siloed with the registry's address. */
export const CLASS_PUBLISHED = fromHex("0x20f5895a4e837356c2d551743df6bf642756dcd93cd31cbd37c556c90bf7f244");
export const INSTANCE_PUBLISHED = fromHex("0x1a7e1badb79abdd38c684b3c8306ffe7ecb33c69e3380d9855730aaaa83a21a8");
export const INSTANCE_UPDATED = fromHex("0x2dcffa53cd0e71da7b4a22677b3342bfc3b9043f5081bea58368ad008eaa6f37");

/** Version of classes, in their events. */
const CLASS_VERSION = 1;

export interface ClassPublished {
  id: Uint8Array;
  artifactHash: Uint8Array;
  privateFunctionsRoot: Uint8Array;
  packedBytecode: Uint8Array;
}

interface InstanceUpdated {
  address: Uint8Array;
  /** Zero: the original class. */
  previousClassId: Uint8Array;
  newClassId: Uint8Array;
  /** Seconds; any field element. */
  timestampOfChange: bigint;
}

type AddressedLog = TxEffect["publicLogs"][number];

export function isClassPublished(log: AddressedLog, { classRegistry }: Pick<ContractRules, "classRegistry">): boolean {
  return equal(log.contractAddress, classRegistry) && equal(word(log.fields, 0), CLASS_PUBLISHED);
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
  const fields = emitted.length < CHUNKS_AT * 32 ? paddedFields(emitted, CHUNKS_AT) : emitted;
  const subject = "ContractClassPublished";
  checkEventVersion(subject, word(fields, 2), CLASS_VERSION);
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
