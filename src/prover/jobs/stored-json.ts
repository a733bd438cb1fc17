import { JsonField } from "../../json/json-field.ts";
import { DecodeError } from "../../protocol/errors.ts";
import { binaryTypeOf, type JobResult, type StoredInput, type StoredOutput } from "./job-result.ts";
import { isJobType, type JobType } from "./job-type.ts";

/** JSON texts in which inputs and outputs are stored: `{"type":n,"inputs":X}` and `{"type":n,"result":Y}`. */

/** Of an input for each piece of its JSON. A multiple of 3, so that the base64 of a piece has no padding. */
const PIECE_BYTES = 24 * 1024;

/**
 * `input` is the encoded input; of PUBLIC_VM its JSON text, which is taken over as it is. No piece splits a character.
 */
export function* inputJsonPieces(type: JobType, input: Uint8Array): Generator<string> {
  const isBinary = binaryTypeOf(type) !== undefined;
  yield `{"type":${type},"inputs":${isBinary ? '"' : ""}`;
  const decoder = new TextDecoder();
  for (let at = 0; at < input.length; at += PIECE_BYTES) {
    const piece = input.subarray(at, at + PIECE_BYTES);
    yield isBinary ? base64Of(piece) : decoder.decode(piece, { stream: true });
  }
  yield isBinary ? '"}' : `${decoder.decode()}}`;
}

export function outputJson(type: JobType, result: JobResult): string {
  if (result instanceof Uint8Array) return JSON.stringify({ type, result: base64Of(result) });
  const { publicInputs, proof, verificationKey } = result;
  return JSON.stringify({
    type,
    result: {
      inputs: base64Of(publicInputs),
      proof: base64Of(proof),
      verificationKey: base64Of(verificationKey),
    },
  });
}

/** Throws a DecodeError that names field and rule. */
export function inputFromJson(subject: string, text: string): StoredInput {
  const stored = parsed(subject, text);
  const type = typeOf(stored);
  const inputs = stored.key("inputs");
  if (binaryTypeOf(type) !== undefined) return { type, input: bytesOf(inputs) };
  inputs.object();
  return { type, input: Buffer.from(JSON.stringify(inputs.value)) };
}

/** Throws a DecodeError that names field and rule. */
export function outputFromJson(subject: string, text: string): StoredOutput {
  const stored = parsed(subject, text);
  const type = typeOf(stored);
  const result = stored.key("result");
  if (binaryTypeOf(type) === undefined) return { type, result: bytesOf(result) };
  result.object();
  return {
    type,
    result: {
      publicInputs: bytesOf(result.key("inputs")),
      proof: bytesOf(result.key("proof")),
      verificationKey: bytesOf(result.key("verificationKey")),
    },
  };
}

function parsed(subject: string, text: string): JsonField {
  const document = JsonField.parse(text, subject, ({ field }, rule) => {
    throw new DecodeError(field === "" ? subject : `${subject}.${field}`, rule);
  });
  document.object();
  return document;
}

function typeOf(stored: JsonField): JobType {
  const { value } = stored.key("type");
  return isJobType(value) ? value : stored.key("type").broken("must be the number of a job type");
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function bytesOf(field: JsonField): Uint8Array {
  const rule = "must be base64 text";
  const text = field.text(BASE64, rule);
  return text.length % 4 === 0 ? Buffer.from(text, "base64") : field.broken(rule);
}

function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
}
