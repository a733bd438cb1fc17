import { bigUintBytes, fromHex, readBigUint } from "../../../src/protocol/bytes.ts";
import { DecodeError } from "../../../src/protocol/errors.ts";
import { FR_MODULUS, type Fr, isCanonicalFr } from "../../../src/protocol/field.ts";

/**
 * Parsers of field elements (docs/protocol/01-fields-and-hashing.md#13-reading-fields). Only frFromBytesReducing
 * reduces; the others throw a DecodeError.
 */

const SUBJECT = "field element";

function below(value: bigint, modulus: bigint): Fr {
  if (value < 0n || value >= modulus) throw new DecodeError(SUBJECT, "must be at least 0 and below the field modulus");
  return bigUintBytes(value, 32);
}

/** From an integer in 0 .. p-1. */
export function frFromInteger(value: bigint | number, modulus: bigint = FR_MODULUS): Fr {
  if (typeof value === "number" && !Number.isSafeInteger(value)) throw new DecodeError(SUBJECT, "must be an integer");
  return below(BigInt(value), modulus);
}

/** From the first 32 of at least 32 bytes. */
export function frFromBytes(bytes: Uint8Array): Fr {
  if (bytes.length < 32) throw new DecodeError(SUBJECT, `must be at least 32 bytes, got ${bytes.length}`);
  if (!isCanonicalFr(bytes)) throw new DecodeError(SUBJECT, "must be below the field modulus");
  return bytes.slice(0, 32);
}

/** From 0 to 32 bytes, padded on the left. */
export function frFromShortBytes(bytes: Uint8Array): Fr {
  if (bytes.length > 32) throw new DecodeError(SUBJECT, `must be at most 32 bytes, got ${bytes.length}`);
  return below(readBigUint(bytes), FR_MODULUS);
}

/** From any number of bytes, as an integer mod p. */
export function frFromBytesReducing(bytes: Uint8Array): Fr {
  return bigUintBytes(readBigUint(bytes) % FR_MODULUS, 32);
}

/** From one or more hex digits of either case, 0x optional. */
export function frFromHex(text: string): Fr {
  const digits = /^(?:0[xX])?([0-9a-fA-F]+)$/.exec(text)?.[1];
  if (digits === undefined) throw new DecodeError(SUBJECT, "must be one or more hex digits");
  const significant = digits.replace(/^0+/, "");
  if (significant.length > 64) throw new DecodeError(SUBJECT, "must be below the field modulus");
  const bytes = fromHex(significant.padStart(64, "0"));
  if (!isCanonicalFr(bytes)) throw new DecodeError(SUBJECT, "must be below the field modulus");
  return bytes;
}

/**
 * Longer text is refused, unlike by the reference node, because the cost of parsing decimals grows faster than
 * linearly.
 */
const MAX_DECIMAL_DIGITS = 4096;

/**
 * From text: hex with 0x or 0X, or decimal digits. A decimal value of 2^256 or more is converted to hex and cut to the
 * first 64 digits before the range check, as the reference node does.
 */
export function frFromText(text: string): Fr {
  if (/^0[xX]/.test(text)) return frFromHex(text);
  if (!/^[0-9]+$/.test(text)) throw new DecodeError(SUBJECT, "must be decimal digits, or hex digits after 0x");
  if (text.length > MAX_DECIMAL_DIGITS) {
    throw new DecodeError(SUBJECT, `must have at most ${MAX_DECIMAL_DIGITS} digits, got ${text.length}`);
  }
  return below(BigInt(`0x${BigInt(text).toString(16).slice(0, 64)}`), FR_MODULUS);
}

/** Characters allowed in a field parameter of the RPC, before frFromText parses it. */
export const FIELD_PARAMETER_PATTERN = /^(0x)?[0-9a-fA-F]*$/;
