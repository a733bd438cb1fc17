import { DecodeError } from "../../protocol/errors.ts";

/** Start of a URI that contains the stored JSON itself. */
const PREFIX = "data:application/json;charset=utf-8,";

export function isInlineUri(uri: string): boolean {
  return uri.startsWith("data:");
}

export function inlineUriOf(json: string): string {
  return PREFIX + encodeURIComponent(json);
}

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
