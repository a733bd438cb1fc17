/** Maximum nesting. A call trace nests two levels for each of the EVM's 1024 frames. */
const MAX_LEVELS = 4096;
/** Maximum values in a document. A value of one or two bytes takes tens of bytes once parsed. */
const MAX_VALUES = 2_000_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** A document that is not JSON or would take too much memory. */
export class JsonError extends Error {
  override readonly name = "JsonError";
}

/** Parses UTF-8 JSON. Checks the limits on nesting and on the number of values before parsing. Throws a JsonError. */
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
        if (++depth > MAX_LEVELS) throw new JsonError(`nests deeper than ${MAX_LEVELS} levels`);
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
      case 0x2c: // ,
        values++;
    }
    if (values > MAX_VALUES) throw new JsonError(`has more than ${MAX_VALUES} values`);
  }
}

/** Position of the closing quote of a string; the length of `bytes` if there is none. */
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
