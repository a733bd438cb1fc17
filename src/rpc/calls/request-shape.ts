/**
 * Deepest nesting of arrays and objects in a request body: a batch of the deepest valid call has fewer than ten levels.
 */
export const MAX_REQUEST_DEPTH = 64;
/**
 * Arrays, objects and members of one call, most of them in the params: the largest transaction has about two hundred.
 */
const PARTS_OF_A_CALL = 128;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Bytes of a text that are looked at one by one; the end of a longer one is searched for. */
const SHORT_TEXT = 24;

const PLAIN = 0;
const TEXT = 1;
const OPENING = 2;
const CLOSING = 3;
const MEMBER = 4;
const COMMA = 5;
const KINDS = new Uint8Array(256);
for (const [letters, kind] of [
  ['"', TEXT],
  ["[{", OPENING],
  ["]}", CLOSING],
  [":", MEMBER],
  [",", COMMA],
] as const) {
  for (const letter of letters) KINDS[letter.charCodeAt(0)] = kind;
}

export interface RequestShape {
  /** What keeps the body from being parsed, in words. */
  fault?: string;
  /** Items of the outermost array or members of the outermost object, one at least, as far as the body was read. */
  items: number;
}

/**
 * Tells whether a body may be parsed. JSON.parse takes a microsecond or more for each level, array, object and member,
 * so few bytes could hold a thread for long. One pass over the bytes finds that out for a nanosecond a byte. Texts are
 * skipped; what is no JSON is left for the parser to refuse.
 */
export function requestShape(body: Uint8Array, maxBatchSize: number): RequestShape {
  const maxParts = PARTS_OF_A_CALL * (maxBatchSize + 1);
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  let depth = 0;
  let parts = 0;
  let items = 1;
  for (let at = 0; at < body.length; at++) {
    const kind = KINDS[body[at]];
    if (kind === PLAIN) continue;
    if (kind === TEXT) {
      at = textEnd(bytes, at + 1);
      continue;
    }
    if (kind === COMMA) {
      if (depth === 1) items += 1;
      continue;
    }
    if (kind === CLOSING) {
      depth -= 1;
      continue;
    }
    if (kind === OPENING) {
      depth += 1;
      if (depth > MAX_REQUEST_DEPTH)
        return { fault: `the request nests deeper than ${MAX_REQUEST_DEPTH} levels`, items };
    }
    parts += 1;
    if (parts > maxParts) return { fault: `the request has more than ${maxParts} arrays, objects and members`, items };
  }
  return { items };
}

/** Offset of the quote that ends a text, or the length of the body. */
function textEnd(body: Buffer, from: number): number {
  let at = from;
  for (const short = from + SHORT_TEXT; at < short; at++) {
    if (body[at] === QUOTE) return at;
    if (body[at] === BACKSLASH) at++;
  }
  for (;;) {
    const quote = body.indexOf(QUOTE, at);
    if (quote < 0) return body.length;
    let backslashes = 0;
    while (quote - backslashes > at && body[quote - backslashes - 1] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote;
    at = quote + 1;
  }
}
