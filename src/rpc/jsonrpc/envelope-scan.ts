/**
 * Finds the parts of an ordinary JSON-RPC request in its bytes, without making objects of them. It knows less than JSON allows, and
 * says no to whatever it does not know, so that a yes is safe: the body is one JSON object with each of the members at most once,
 * in plain ASCII without escapes, and `jsonrpc`, if there, is "2.0".
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

/** Longest bodies that are looked at: reading a long one twice would cost more than objects do. */
export const LONGEST_SCANNED = 8 * 1024;
/** Digits of an integer that a number holds exactly and writes again as they are. */
const MOST_DIGITS = 15;
const LONGEST_TEXT_ID = 64;
const DEEPEST = 16;

const FNV_OFFSET = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;

/** Hash of a method's name, as EnvelopeScan.methodHash. */
export function nameHash(name: string): number {
  let hash = FNV_OFFSET;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), FNV_PRIME);
  return hash;
}

function ascii(text: string): number[] {
  return Array.from(text, (letter) => letter.charCodeAt(0));
}

const JSONRPC = ascii("jsonrpc");
const ID = ascii("id");
const METHOD = ascii("method");
const PARAMS = ascii("params");
const VERSION = ascii('"2.0"');
const TRUE = ascii("true");
const FALSE = ascii("false");
const NULL = ascii("null");

/** Reused for every request: `scan` overwrites what it found before. Ranges are byte offsets [from, to), empty for an absent member. */
export class EnvelopeScan {
  /** The JSON text of the id: an integer, a short text or null. */
  idFrom = 0;
  idTo = 0;
  /** Without its quotes. */
  methodFrom = 0;
  methodTo = 0;
  methodHash = 0;
  /** The JSON text of an array, with its brackets. */
  paramsFrom = 0;
  paramsTo = 0;
  #body: Uint8Array = new Uint8Array();
  #end = 0;
  #trusted = NO_METHODS;

  /**
   * Whether the body is an ordinary request with a method. The params of a method in `trusted`, by the hash of its name, are not looked
   * at when they seem to come last: what is between their opening bracket and the request's closing one is then for others to check.
   */
  scan(body: Uint8Array, trusted: ReadonlySet<number> = NO_METHODS): boolean {
    this.#body = body;
    this.#end = body.length;
    this.#trusted = trusted;
    this.idFrom = 0;
    this.idTo = 0;
    this.methodFrom = 0;
    this.methodTo = 0;
    this.paramsFrom = 0;
    this.paramsTo = 0;
    if (body.length > LONGEST_SCANNED) return false;
    const at = this.#object();
    this.#body = EMPTY;
    return at >= 0 && this.methodTo > this.methodFrom;
  }

  /** Each of the methods below takes an offset and gives the one behind what it read, -1 when that is not there. */
  #object(): number {
    const body = this.#body;
    let at = this.#blank(0);
    if (body[at] !== OPEN_OBJECT) return -1;
    let versions = 0;
    for (;;) {
      at = this.#blank(at + 1);
      if (body[at] !== QUOTE) return -1;
      const key = at + 1;
      let to = -1;
      switch (body[key]) {
        case LETTER_J:
          at = this.#value(this.#is(JSONRPC, key));
          if (at < 0 || versions++ > 0) return -1;
          to = this.#is(VERSION, at);
          break;
        case LETTER_I:
          at = this.#value(this.#is(ID, key));
          if (at < 0 || this.idTo > 0) return -1;
          to = this.#id(at);
          this.idFrom = at;
          this.idTo = to;
          break;
        case LETTER_M:
          at = this.#value(this.#is(METHOD, key));
          if (at < 0 || this.methodTo > 0) return -1;
          to = this.#method(at);
          break;
        case LETTER_P:
          at = this.#value(this.#is(PARAMS, key));
          if (at < 0 || this.paramsTo > 0 || body[at] !== OPEN_ARRAY) return -1;
          this.paramsFrom = at;
          if (body[this.#end - 1] === CLOSE_OBJECT && this.#trusted.has(this.methodHash) && this.methodTo > 0) {
            this.paramsTo = this.#end - 1;
            return this.paramsTo;
          }
          to = this.#json(at, 0);
          this.paramsTo = to;
          break;
      }
      if (to < 0) return -1;
      at = this.#blank(to);
      if (body[at] === COMMA) continue;
      if (body[at] !== CLOSE_OBJECT) return -1;
      return this.#blank(at + 1) === this.#end ? at : -1;
    }
  }

  #blank(from: number): number {
    const body = this.#body;
    let at = from;
    for (;;) {
      const byte = body[at];
      if (byte !== SPACE && byte !== NEWLINE && byte !== RETURN && byte !== TAB) return at;
      at++;
    }
  }

  #is(text: readonly number[], from: number): number {
    if (from < 0) return -1;
    const body = this.#body;
    for (let i = 0; i < text.length; i++) if (body[from + i] !== text[i]) return -1;
    return from + text.length;
  }

  /** From behind a key's letters to its value. */
  #value(from: number): number {
    if (from < 0 || this.#body[from] !== QUOTE) return -1;
    const at = this.#blank(from + 1);
    return this.#body[at] === COLON ? this.#blank(at + 1) : -1;
  }

  #id(from: number): number {
    const body = this.#body;
    const first = body[from];
    if (first === QUOTE) {
      const to = this.#text(from);
      return to - from - 2 > LONGEST_TEXT_ID ? -1 : to;
    }
    if (first >= ZERO && first <= NINE) {
      let at = from + 1;
      while (body[at] >= ZERO && body[at] <= NINE) at++;
      const byte = body[at];
      if (byte === POINT || (byte | SPACE) === LETTER_E) return -1;
      return at - from > MOST_DIGITS || (first === ZERO && at - from > 1) ? -1 : at;
    }
    return this.#is(NULL, from);
  }

  #method(from: number): number {
    const body = this.#body;
    if (body[from] !== QUOTE) return -1;
    let hash = FNV_OFFSET;
    let at = from + 1;
    for (; ; at++) {
      const byte = body[at];
      if (byte === QUOTE) break;
      if (!(byte >= SPACE && byte < DELETE) || byte === BACKSLASH) return -1;
      hash = Math.imul(hash ^ byte, FNV_PRIME);
    }
    this.methodFrom = from + 1;
    this.methodTo = at;
    this.methodHash = hash;
    return at + 1;
  }

  /** A quoted text of printable ASCII. */
  #text(from: number): number {
    const body = this.#body;
    for (let at = from + 1; ; at++) {
      const byte = body[at];
      if (byte === QUOTE) return at + 1;
      if (!(byte >= SPACE && byte < DELETE) || byte === BACKSLASH) return -1;
    }
  }

  #json(from: number, depth: number): number {
    switch (this.#body[from]) {
      case QUOTE:
        return this.#text(from);
      case OPEN_ARRAY:
        return this.#items(from, depth, CLOSE_ARRAY);
      case OPEN_OBJECT:
        return this.#items(from, depth, CLOSE_OBJECT);
      case TRUE[0]:
        return this.#is(TRUE, from);
      case FALSE[0]:
        return this.#is(FALSE, from);
      case NULL[0]:
        return this.#is(NULL, from);
      default:
        return this.#number(from);
    }
  }

  /** An array, or an object, by what closes it. */
  #items(from: number, depth: number, close: number): number {
    const body = this.#body;
    if (depth >= DEEPEST) return -1;
    let at = this.#blank(from + 1);
    if (body[at] === close) return at + 1;
    for (;;) {
      if (close === CLOSE_OBJECT) {
        if (body[at] !== QUOTE) return -1;
        const key = this.#text(at);
        if (key < 0) return -1;
        at = this.#value(key - 1);
        if (at < 0) return -1;
      }
      at = this.#json(at, depth + 1);
      if (at < 0) return -1;
      at = this.#blank(at);
      if (body[at] === close) return at + 1;
      if (body[at] !== COMMA) return -1;
      at = this.#blank(at + 1);
    }
  }

  #number(from: number): number {
    const body = this.#body;
    let at = body[from] === MINUS ? from + 1 : from;
    at = body[at] === ZERO ? at + 1 : this.#digits(at);
    if (at < 0) return -1;
    if (body[at] === POINT) at = this.#digits(at + 1);
    if (at < 0 || (body[at] | SPACE) !== LETTER_E) return at;
    const signed = body[at + 1] === PLUS || body[at + 1] === MINUS;
    return this.#digits(at + (signed ? 2 : 1));
  }

  #digits(from: number): number {
    const body = this.#body;
    let at = from;
    while (body[at] >= ZERO && body[at] <= NINE) at++;
    return at > from ? at : -1;
  }
}

const EMPTY = new Uint8Array();
const NO_METHODS: ReadonlySet<number> = new Set();
