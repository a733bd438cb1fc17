/**
 * Finds the parts of an ordinary JSON-RPC request in its bytes, without making objects of them. It knows less than JSON
 * allows, and says no to whatever it does not know, so that a yes is safe: the body is one JSON object with each of the
 * members at most once, in plain ASCII without escapes, and `jsonrpc`, if there, is "2.0".
 */

const TAB = 0x09;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const LETTER_E = 0x65;
const LETTER_I = 0x69;
const LETTER_J = 0x6a;
const LETTER_M = 0x6d;
const LETTER_P = 0x70;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const DELETE = 0x7f;

/** Longest single requests that are looked at: reading a long one twice would cost more than objects do. */
export const MAX_SCANNED_BYTES = 8 * 1024;
/** Longest batches that are looked at. */
export const MAX_BATCH_BYTES = 64 * 1024;
/** Longest call of such a batch. */
export const MAX_BATCHED_BYTES = 1024;
/** Digits of an integer that a number holds exactly and writes again as they are. */
const MAX_DIGITS = 15;
const MAX_TEXT_ID_LENGTH = 64;
const DEEPEST = 16;

function ascii(letters: string): Uint8Array {
  return Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
}

const JSONRPC = ascii("jsonrpc");
const ID = ascii("id");
const METHOD = ascii("method");
const PARAMS = ascii("params");
const VERSION = ascii('"2.0"');
const TRUE = ascii("true");
const FALSE = ascii("false");
const NULL = ascii("null");

/**
 * The body that is scanned, and a byte behind it that is part of no JSON: the scan ends there without asking where it
 * is.
 */
const text = new Uint8Array(MAX_BATCH_BYTES + 1);

/**
 * Reused for every request: `scan` overwrites what it found before. Ranges are byte offsets [from, to), empty for an
 * absent member.
 */
export class EnvelopeScan {
  /** The JSON text of the id: an integer, a short text or null. */
  idFrom = 0;
  idTo = 0;
  /** Without its quotes. */
  methodFrom = 0;
  methodTo = 0;
  /** The JSON text of an array, with its brackets. */
  paramsFrom = 0;
  paramsTo = 0;
  /** The whole request, of a batch. */
  from = 0;
  to = 0;

  /** Whether the body is an ordinary request with a method. */
  scan(body: Uint8Array): boolean {
    const end = body.length;
    if (end > MAX_SCANNED_BYTES) return false;
    text.set(body);
    text[end] = 0;
    const to = this.#object(blank(0));
    return to >= 0 && blank(to) === end && this.methodTo > 0;
  }

  /**
   * Whether the body is a batch of ordinary requests, each with a method and none too long. Calls `found` after each
   * request, and gives up when that returns false.
   */
  scanBatch(body: Uint8Array, found: () => boolean): boolean {
    const end = body.length;
    if (end > MAX_BATCH_BYTES) return false;
    text.set(body);
    text[end] = 0;
    let at = blank(0);
    if (text[at] !== OPEN_ARRAY) return false;
    do {
      this.from = blank(at + 1);
      at = this.#object(this.from);
      this.to = at;
      if (at < 0 || this.methodTo === 0 || at - this.from > MAX_BATCHED_BYTES || !found()) return false;
      at = blank(at);
    } while (text[at] === COMMA);
    return text[at] === CLOSE_ARRAY && blank(at + 1) === end;
  }

  /** From an opening brace to behind the closing one. */
  #object(from: number): number {
    this.idTo = 0;
    this.methodTo = 0;
    this.paramsFrom = 0;
    this.paramsTo = 0;
    let at = from;
    if (text[at] !== OPEN_OBJECT) return -1;
    let hasVersion = false;
    for (;;) {
      at = blank(at + 1);
      if (text[at] !== QUOTE) return -1;
      switch (text[at + 1]) {
        case LETTER_J:
          if (hasVersion) return -1;
          hasVersion = true;
          at = literal(VERSION, memberValue(JSONRPC, at + 1));
          break;
        case LETTER_I:
          if (this.idTo > 0) return -1;
          at = memberValue(ID, at + 1);
          if (at < 0) return -1;
          this.idFrom = at;
          at = idEnd(at);
          this.idTo = at;
          break;
        case LETTER_M:
          if (this.methodTo > 0) return -1;
          at = memberValue(METHOD, at + 1);
          if (at < 0 || text[at] !== QUOTE) return -1;
          this.methodFrom = at + 1;
          at = quoted(at);
          this.methodTo = at - 1;
          if (this.methodTo <= this.methodFrom) return -1;
          break;
        case LETTER_P:
          if (this.paramsTo > 0) return -1;
          at = memberValue(PARAMS, at + 1);
          if (at < 0 || text[at] !== OPEN_ARRAY) return -1;
          this.paramsFrom = at;
          at = json(at, 0);
          this.paramsTo = at;
          break;
        default:
          return -1;
      }
      if (at < 0) return -1;
      at = blank(at);
      if (text[at] === COMMA) continue;
      return text[at] === CLOSE_OBJECT ? at + 1 : -1;
    }
  }
}

/** Each of the functions below takes an offset and gives the one behind what it read, -1 when that is not there. */
function blank(from: number): number {
  let at = from;
  for (let byte = text[at]; byte <= SPACE; byte = text[++at]) {
    if (byte !== SPACE && byte !== NEWLINE && byte !== RETURN && byte !== TAB) return at;
  }
  return at;
}

function literal(letters: Uint8Array, from: number): number {
  if (from < 0) return -1;
  for (let i = 0; i < letters.length; i++) if (text[from + i] !== letters[i]) return -1;
  return from + letters.length;
}

/** From a key's letters to its value. */
function memberValue(key: Uint8Array, from: number): number {
  const to = literal(key, from);
  if (to < 0 || text[to] !== QUOTE) return -1;
  const at = blank(to + 1);
  return text[at] === COLON ? blank(at + 1) : -1;
}

function idEnd(from: number): number {
  const first = text[from];
  if (first === QUOTE) {
    const to = quoted(from);
    return to - from - 2 > MAX_TEXT_ID_LENGTH ? -1 : to;
  }
  if (first >= ZERO && first <= NINE) {
    let at = from + 1;
    while (text[at] >= ZERO && text[at] <= NINE) at++;
    const byte = text[at];
    if (byte === POINT || (byte | SPACE) === LETTER_E) return -1;
    return at - from > MAX_DIGITS || (first === ZERO && at - from > 1) ? -1 : at;
  }
  return literal(NULL, from);
}

/** A quoted text of printable ASCII. */
function quoted(from: number): number {
  let at = from + 1;
  for (let byte = text[at]; byte !== QUOTE; byte = text[++at]) {
    if (byte < SPACE || byte >= DELETE || byte === BACKSLASH) return -1;
  }
  return at + 1;
}

function json(from: number, depth: number): number {
  switch (text[from]) {
    case QUOTE:
      return quoted(from);
    case OPEN_ARRAY:
      return items(from, depth, CLOSE_ARRAY);
    case OPEN_OBJECT:
      return items(from, depth, CLOSE_OBJECT);
    case TRUE[0]:
      return literal(TRUE, from);
    case FALSE[0]:
      return literal(FALSE, from);
    case NULL[0]:
      return literal(NULL, from);
    default:
      return number(from);
  }
}

/** An array, or an object, by what closes it. */
function items(from: number, depth: number, close: number): number {
  if (depth >= DEEPEST) return -1;
  let at = blank(from + 1);
  if (text[at] === close) return at + 1;
  for (;;) {
    if (close === CLOSE_OBJECT) {
      if (text[at] !== QUOTE) return -1;
      const key = quoted(at);
      if (key < 0) return -1;
      const colon = blank(key);
      if (text[colon] !== COLON) return -1;
      at = blank(colon + 1);
    }
    at = json(at, depth + 1);
    if (at < 0) return -1;
    at = blank(at);
    if (text[at] === close) return at + 1;
    if (text[at] !== COMMA) return -1;
    at = blank(at + 1);
  }
}

function number(from: number): number {
  let at = text[from] === MINUS ? from + 1 : from;
  at = text[at] === ZERO ? at + 1 : digits(at);
  if (at < 0) return -1;
  if (text[at] === POINT) at = digits(at + 1);
  if (at < 0 || (text[at] | SPACE) !== LETTER_E) return at;
  const signed = text[at + 1] === PLUS || text[at + 1] === MINUS;
  return digits(at + (signed ? 2 : 1));
}

function digits(from: number): number {
  let at = from;
  while (text[at] >= ZERO && text[at] <= NINE) at++;
  return at > from ? at : -1;
}
