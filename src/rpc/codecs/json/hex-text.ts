import type { Fr } from "../../../protocol/field.ts";
import { bufferObject } from "./bytes.ts";
import { type Codec, type Issue, type Path, rejected, wrongType } from "./codec.ts";
import { canonical, L2_ADDRESS_SCHEMA } from "./field.ts";
import { named } from "./json-schema.ts";

/**
 * Words as the development namespace reads them: hex digits, with or without 0x. Unlike in the release's fields, text
 * of decimal digits only is hex too.
 */

const HEX_TEXT = /^(?:0x)?([0-9a-fA-F]*)$/;
const WORD_DIGITS = 64;

/** The hex digits of a text; undefined after adding an issue. */
function digitsOf(value: unknown, path: Path, issues: Issue[]): string | undefined {
  if (typeof value !== "string") return wrongType(issues, path, "string", value);
  return HEX_TEXT.exec(value)?.[1] ?? rejected(issues, path, "Not a valid hex string");
}

/** `what` is the value's name in messages, with its article. */
function exactWord(what: string, title: string): Codec<Uint8Array> {
  return {
    schema: named(title, `${what}: ${WORD_DIGITS} hex digits with or without 0x.`, {
      type: "string",
      pattern: "^(0x)?[0-9a-fA-F]{64}$",
    }),
    read(value, path, issues) {
      const digits = digitsOf(value, path, issues);
      if (digits === undefined) return undefined as never;
      if (digits.length === WORD_DIGITS) return Buffer.from(digits, "hex");
      return rejected(issues, path, digitCount(what, digits.length));
    },
  };
}

export function digitCount(what: string, given: number): string {
  return `${what} has ${WORD_DIGITS} hex digits, received ${given}`;
}

/** Like exactWord, but the value must be a field. Throws an ExecutionError otherwise. */
function exactField(what: string, title: string): Codec<Fr> {
  const word = exactWord(what, title);
  return {
    schema: word.schema,
    read(value, path, issues) {
      const bytes = word.read(value, path, issues);
      return bytes === undefined ? (undefined as never) : canonical(bytes);
    },
  };
}

export const blockHashText = exactField("A block hash", "BlockHashInput");
export const archiveRootText = exactField("An archive root", "ArchiveRootInput");
export const txHashText = exactField("A tx hash", "TxHashInput");
/** keccak256 of the signed payload of a proposal, so any word. */
export const payloadHashText = exactWord("A payload hash", "PayloadHashInput");

/** A field of 1 to 64 hex digits. Throws an ExecutionError for the modulus and above. */
export const fieldText: Codec<Fr> = {
  schema: named(
    "FieldInput",
    "A field element: 1 to 64 hex digits with or without 0x, big-endian; less than the modulus of BN254's scalar field.",
    { type: "string", pattern: "^(0x)?[0-9a-fA-F]{1,64}$" },
  ),
  read(value, path, issues) {
    const digits = digitsOf(value, path, issues);
    if (digits === undefined) return undefined as never;
    if (digits.length === 0 || digits.length > WORD_DIGITS) {
      return rejected(issues, path, `A field has 1 to ${WORD_DIGITS} hex digits, received ${digits.length}`);
    }
    return canonical(Buffer.from(digits.padStart(WORD_DIGITS, "0"), "hex"));
  },
};

/** Base64 of 32 bytes. */
const ADDRESS_BASE64 = /^[0-9a-zA-Z+/]{43}=$/;
const hexAddress = exactField("An address", "L2AddressText");

/** An L2 address as 32 bytes: 64 hex digits, base64 of 32 bytes, or a Buffer object. */
export const l2AddressText: Codec<Fr> = {
  schema: L2_ADDRESS_SCHEMA,
  read(value, path, issues) {
    const bytes = bufferObject(value);
    if (bytes?.length === 32) return canonical(bytes);
    if (typeof value === "string" && ADDRESS_BASE64.test(value)) return canonical(Buffer.from(value, "base64"));
    return hexAddress.read(value, path, issues);
  },
};
