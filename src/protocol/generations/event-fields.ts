import { isZero, readUint } from "../bytes.ts";
import { DecodeError } from "../errors.ts";

/** The fields of a log; zeros follow where fewer than `count` were emitted. */
export function paddedFields(fields: Uint8Array, count: number): Uint8Array {
  if (fields.length >= count * 32) return fields;
  const words = new Uint8Array(count * 32);
  words.set(fields);
  return words;
}

/** Throws a DecodeError unless the field is the version. */
export function checkEventVersion(subject: string, field: Uint8Array, expected: number): void {
  const version = smallNumber(field);
  if (version !== expected) throw new DecodeError(subject, `version must be ${expected}, got ${version}`);
}

/** The field as a number; Infinity if it is 2^48 or more. */
export function smallNumber(field: Uint8Array): number {
  return isZero(field.subarray(0, 26)) ? readUint(field, 26, 6) : Number.POSITIVE_INFINITY;
}
