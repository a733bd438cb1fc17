import { FR_MODULUS, type Fr, isCanonicalFr } from "../../../protocol/field.ts";
import { ExecutionError } from "../../jsonrpc/errors.ts";
import { BUFFER_OBJECT_SCHEMA, bufferObject } from "./bytes.ts";
import { type Codec, rejected, wrongType } from "./codec.ts";
import { named } from "./json-schema.ts";

/** Text that may be a field: hex digits with or without 0x. The conversion checks the value. */
const HEX_TEXT = /^(?:0x)?[0-9a-fA-F]*$/;
const DECIMAL_TEXT = /^[0-9]+$/;
const ADDRESS_TEXT = /^(?:0x)?[0-9a-fA-F]{64}$/;
/** Base64 of 32 bytes. */
const ADDRESS_BASE64 = /^[0-9a-zA-Z+/]{43}=$/;

/** Longer decimal text is rejected as too large without converting it. */
const MAX_DECIMAL_LENGTH = 100;

export function isHexText(value: unknown): value is string {
  return typeof value === "string" && HEX_TEXT.test(value);
}

/**
 * Parses the text of a field into 32 bytes (docs/protocol/05-rpc.md#510-values-of-the-release): digits only are
 * decimal, 0x is hex of any length. Throws an ExecutionError with the texts of
 * docs/protocol/05-rpc.md#55-texts-of-wrong-parameters.
 */
export function fieldFromText(text: string): Fr {
  if (DECIMAL_TEXT.test(text)) return fieldFromDecimal(text);
  if (!text.startsWith("0x")) throw new ExecutionError(`Tried to create a Fr from an invalid string: ${text}`);
  if (text.length === 2) throw new ExecutionError(`Invalid hex-encoded string: "${text}"`);
  if (text.length === 66) return canonical(Buffer.from(text.slice(2), "hex"));
  const digits = text.slice(2).replace(/^0+/, "");
  if (digits.length > 64) throw tooLarge(digits.toLowerCase());
  return canonical(Buffer.from(digits.padStart(64, "0"), "hex"));
}

function fieldFromDecimal(text: string): Fr {
  const digits = text.replace(/^0+(?=.)/, "");
  if (digits.length > MAX_DECIMAL_LENGTH) {
    throw new ExecutionError(`Value of ${digits.length} decimal digits is greater or equal to field modulus.`);
  }
  const value = BigInt(digits);
  if (value >= FR_MODULUS) throw tooLarge(value.toString(16));
  return Buffer.from(value.toString(16).padStart(64, "0"), "hex");
}

/** Throws an ExecutionError for a word of the modulus or more. */
export function canonical(bytes: Uint8Array): Fr {
  if (!isCanonicalFr(bytes)) throw tooLarge(Buffer.from(bytes).toString("hex"));
  return bytes;
}

function tooLarge(hexDigits: string): ExecutionError {
  return new ExecutionError(`Value 0x${hexDigits} is greater or equal to field modulus.`);
}

/**
 * A field as 32 bytes. Also used for block hashes, slots, tags, note hashes, nullifiers, messages, class ids and
 * archive roots.
 */
export const field: Codec<Fr> = {
  schema: named(
    "ReleaseFieldInput",
    "A field element: 0x and hex digits, or decimal digits; less than the modulus of BN254's scalar field.",
    { type: "string", pattern: "^(0x[0-9a-fA-F]+|[0-9]+)$" },
  ),
  read(value, path, issues) {
    if (typeof value !== "string") return wrongType(issues, path, "string", value);
    return HEX_TEXT.test(value) ? fieldFromText(value) : rejected(issues, path, "Not a valid hex string");
  },
};

/** A tx hash as 32 bytes: hex digits with or without 0x; only the first 32 bytes count. */
export const txHash: Codec<Fr> = {
  schema: named(
    "ReleaseTxHashInput",
    "The hash of a transaction: hex digits with or without 0x, of which the first 64 count.",
    { type: "string", pattern: "^(0x)?[0-9a-fA-F]{64,}$" },
  ),
  read(value, path, issues) {
    if (typeof value !== "string") return wrongType(issues, path, "string", value);
    if (!HEX_TEXT.test(value)) return rejected(issues, path, "Not a valid hex string");
    const digits = value.startsWith("0x") ? value.slice(2) : value;
    const bytes = Buffer.from(digits.slice(0, 64), "hex");
    if (bytes.length < 32) {
      const read = "Attempted to read beyond buffer length. Start index: 0, Num bytes to read: 32";
      throw new ExecutionError(`${read}, Buffer length: ${bytes.length}`);
    }
    return canonical(bytes);
  },
};

export const L2_ADDRESS_SCHEMA = named("L2AddressInput", "An address on the rollup: 32 bytes, a field element.", {
  anyOf: [
    {
      type: "string",
      pattern: "^((0x)?[0-9a-fA-F]{64}|[0-9a-zA-Z+/]{43}=)$",
      description: "64 hex digits with or without 0x, or base64.",
    },
    BUFFER_OBJECT_SCHEMA,
  ],
});

/** An L2 address as 32 bytes: 64 hex digits, base64 of 32 bytes, or a Buffer object. */
export const l2Address: Codec<Fr> = {
  schema: L2_ADDRESS_SCHEMA,
  read(value, path, issues) {
    if (typeof value === "string") {
      if (ADDRESS_TEXT.test(value)) return canonical(Buffer.from(value.slice(-64), "hex"));
      if (ADDRESS_BASE64.test(value)) return canonical(Buffer.from(value, "base64"));
    } else {
      const bytes = bufferObject(value);
      if (bytes?.length === 32) return canonical(bytes);
    }
    return rejected(issues, path, "Invalid input");
  },
};
