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
  const { type, inputs } = objectOf(subject, parsed(subject, text));
  if (!isJobType(type)) throw new DecodeError(`${subject}.type`, "must be the number of a job type");
  if (binaryTypeOf(type) !== undefined) return { type, input: bytesOf(`${subject}.inputs`, inputs) };
  return { type, input: Buffer.from(JSON.stringify(objectOf(`${subject}.inputs`, inputs))) };
}

/** Throws a DecodeError that names field and rule. */
export function outputFromJson(subject: string, text: string): StoredOutput {
  const { type, result } = objectOf(subject, parsed(subject, text));
  if (!isJobType(type)) throw new DecodeError(`${subject}.type`, "must be the number of a job type");
  if (binaryTypeOf(type) === undefined) return { type, result: bytesOf(`${subject}.result`, result) };
  const parts = objectOf(`${subject}.result`, result);
  return {
    type,
    result: {
      publicInputs: bytesOf(`${subject}.result.inputs`, parts.inputs),
      proof: bytesOf(`${subject}.result.proof`, parts.proof),
      verificationKey: bytesOf(`${subject}.result.verificationKey`, parts.verificationKey),
    },
  };
}

function parsed(subject: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DecodeError(subject, `must be JSON (${text.length} characters)`, { cause: error });
  }
}

function objectOf(subject: string, value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new DecodeError(subject, "must be a JSON object");
  }
  return value as Record<string, unknown>;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function bytesOf(subject: string, value: unknown): Uint8Array {
  if (typeof value !== "string" || value.length % 4 !== 0 || !BASE64.test(value)) {
    throw new DecodeError(subject, "must be base64 text");
  }
  return Buffer.from(value, "base64");
}

function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
}
