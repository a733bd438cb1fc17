import { DecodeError } from "../../protocol/errors.ts";
import type { JobType } from "./job-type.ts";
import { inputJsonPieces } from "./stored-json.ts";

/** Start of a URI that contains the stored JSON itself. */
const PREFIX = "data:application/json;charset=utf-8,";

export function isInlineUri(uri: string): boolean {
  return uri.startsWith("data:");
}

export function inlineUriOf(json: string): string {
  return PREFIX + encodeURIComponent(json);
}

/**
 * An inline URI of an input, made piece by piece: whole, an input of a megabyte takes several as texts. No character of
 * it is escaped in JSON.
 */
export class InlineInput implements Iterable<string> {
  readonly #type: JobType;
  readonly #input: Uint8Array;

  /** `input` as for `inputJsonPieces`. */
  constructor(type: JobType, input: Uint8Array) {
    this.#type = type;
    this.#input = input;
  }

  *[Symbol.iterator](): Generator<string> {
    yield PREFIX;
    for (const piece of inputJsonPieces(this.#type, this.#input)) yield encodeURIComponent(piece);
  }

  toString(): string {
    return [...this].join("");
  }
}

/** Of an input, for a broker. */
export type InputUri = string | InlineInput;

/** The JSON in an inline URI. Throws a DecodeError; its message does not repeat the URI, which may be long. */
export function jsonOfInlineUri(subject: string, uri: string): string {
  if (!uri.startsWith(PREFIX)) throw new DecodeError(subject, `must begin with ${PREFIX}`);
  // Text behind a second comma is ignored: none occurs in percent-encoded text.
  const end = uri.indexOf(",", PREFIX.length);
  try {
    return decodeURIComponent(uri.slice(PREFIX.length, end < 0 ? undefined : end));
  } catch (error) {
    throw new DecodeError(subject, "must be percent-encoded", { cause: error });
  }
}
