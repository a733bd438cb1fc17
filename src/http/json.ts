/** Deepest nesting: a call trace nests two levels for each of the EVM's 1024 frames. */
const MOST_LEVELS = 4096;
/** Values of a document. A value of a byte or two takes some tens of bytes once parsed. */
const MOST_VALUES = 2_000_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** A JSON document that would take too much memory, or is none. */
export class JsonError extends Error {
  override readonly name = "JsonError";
}

/** Parses UTF-8 JSON within bounds on nesting and on the number of values, which are looked at before. Throws a JsonError. */
export function parseJson(bytes: Buffer): unknown {
  checkShape(bytes);
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    throw new JsonError(`is not JSON (${bytes.length} bytes)`);
  }
}

function checkShape(bytes: Buffer): void {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case QUOTE:
        at = endOfText(bytes, at + 1);
        break;
      case 0x5b: // [
      case 0x7b: // {
        values++;
        if (++depth > MOST_LEVELS) throw new JsonError(`nests deeper than ${MOST_LEVELS} levels`);
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
      case 0x2c: // ,
        values++;
    }
    if (values > MOST_VALUES) throw new JsonError(`has more than ${MOST_VALUES} values`);
  }
}

/** Position of the quote that ends a text; the length of `bytes` when there is none. */
function endOfText(bytes: Buffer, start: number): number {
  for (let from = start; ; ) {
    const quote = bytes.indexOf(QUOTE, from);
    if (quote < 0) return bytes.length;
    let escapes = 0;
    while (bytes[quote - 1 - escapes] === BACKSLASH && quote - 1 - escapes >= start) escapes++;
    if (escapes % 2 === 0) return quote;
    from = quote + 1;
  }
}
