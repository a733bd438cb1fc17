import { yieldProcessor } from "../../../core/thread-priority.ts";
import { detachBuffer } from "../../limits/detach-buffer.ts";

/**
 * Writes JSON text as bytes, directly from the stored form of values: no objects, no bigint for hashes, no second pass.
 */

const HIGH_DIGIT = new Uint8Array(256);
const LOW_DIGIT = new Uint8Array(256);
for (let byte = 0; byte < 256; byte++) {
  HIGH_DIGIT[byte] = "0123456789abcdef".charCodeAt(byte >> 4);
  LOW_DIGIT[byte] = "0123456789abcdef".charCodeAt(byte & 15);
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const ZERO = 0x30;
const LETTER_X = 0x78;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/** Bytes of a quoted word: two quotes, 0x, 64 digits. */
const WORD_TEXT_BYTES = 68;
const INITIAL_BYTES = 16 * 1024;
/** Longest result that `view` returns without a copy. */
const MAX_VIEWED_BYTES = 64 * 1024;
/** Larger buffers are not reused for the next result. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;

/** Zero words, each preceded by a comma; grows to the longest padding requested so far. */
let zeroWords = Buffer.alloc(0);

function zeroWordsText(count: number): Uint8Array {
  const bytes = count * (WORD_TEXT_BYTES + 1);
  if (zeroWords.length < bytes) zeroWords = Buffer.from(`,"0x${"0".repeat(64)}"`.repeat(count), "latin1");
  return zeroWords.subarray(0, bytes);
}

/** Whether 32-bit arithmetic suffices for the digits of a number. */
function isSmall(value: number | bigint): value is number {
  return typeof value === "number" && (value | 0) === value && value >= 0 && !Object.is(value, -0);
}

export class JsonWriter {
  #buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  #length = 0;
  #view: Uint8Array = new Uint8Array();
  /** The buffer that the cached view refers to. */
  #viewed: Uint8Array | undefined;

  /** A position for `rewind`. */
  get length(): number {
    return this.#length;
  }

  /** Discards everything written since `length` had this value. */
  rewind(length: number): void {
    this.#length = length;
  }

  /** Returns a copy of the written bytes in a buffer of its own and resets the writer. */
  take(): Uint8Array {
    const written = new Uint8Array(this.#buffer.subarray(0, this.#length));
    this.#length = 0;
    if (this.#buffer.length > MAX_KEPT_BYTES) {
      detachBuffer(this.#buffer);
      this.#buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
    }
    return written;
  }

  /** Like `take`, but the result is valid only until the writer is used again. */
  view(): Uint8Array {
    if (this.#length > MAX_VIEWED_BYTES) return this.take();
    // Reuses the view: answers of one kind often have one length.
    if (this.#view.length !== this.#length || this.#viewed !== this.#buffer) {
      this.#view = new Uint8Array(this.#buffer.buffer, this.#buffer.byteOffset, this.#length);
      this.#viewed = this.#buffer;
    }
    this.#length = 0;
    return this.#view;
  }

  /** A view of what was written from a position on, valid until more is written. */
  writtenFrom(position: number): Uint8Array {
    return this.#buffer.subarray(position, this.#length);
  }

  #reserve(bytes: number): number {
    const needed = this.#length + bytes;
    if (needed > this.#buffer.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.length * 2));
      this.#buffer.copy(grown, 0, 0, this.#length);
      detachBuffer(this.#buffer);
      this.#buffer = grown;
    }
    const at = this.#length;
    this.#length = needed;
    return at;
  }

  /** ASCII text, unescaped. */
  text(ascii: string): this {
    const at = this.#reserve(ascii.length);
    const out = this.#buffer;
    for (let i = 0; i < ascii.length; i++) out[at + i] = ascii.charCodeAt(i);
    return this;
  }

  bytes(json: Uint8Array): this {
    const at = this.#reserve(json.length);
    this.#buffer.set(json, at);
    return this;
  }

  /** `json[from .. to)` unchanged; meant for a few bytes. */
  part(json: Uint8Array, from: number, to: number): this {
    let at = this.#reserve(to - from);
    for (let i = from; i < to; i++) this.#buffer[at++] = json[i];
    return this;
  }

  /** Any value through JSON.stringify; for small external values. A value without JSON form becomes null. */
  value(value: unknown): this {
    const text = JSON.stringify(value) ?? "null";
    const at = this.#reserve(Buffer.byteLength(text));
    this.#buffer.write(text, at);
    return this;
  }

  /** Quoted 0x hex of `bytes[from .. to)`. */
  hex(bytes: Uint8Array, from = 0, to = bytes.length): this {
    let at = this.#reserve(2 * (to - from) + 4);
    const out = this.#buffer;
    out[at++] = QUOTE;
    out[at++] = ZERO;
    out[at++] = LETTER_X;
    for (let i = from; i < to; i++) {
      out[at++] = HIGH_DIGIT[bytes[i]];
      out[at++] = LOW_DIGIT[bytes[i]];
    }
    out[at] = QUOTE;
    return this;
  }

  /** Quoted hex of the 32-byte word at byte offset `at`. */
  word(bytes: Uint8Array, at = 0): this {
    return this.hex(bytes, at, at + 32);
  }

  /** Quoted hex of `width` bytes, padded with zeros on the left to a 32-byte word. */
  paddedWord(bytes: Uint8Array, from: number, width: number): this {
    const at = this.#reserve(WORD_TEXT_BYTES);
    const out = this.#buffer;
    out[at] = QUOTE;
    out[at + 1] = ZERO;
    out[at + 2] = LETTER_X;
    let to = at + 3 + 2 * (32 - width);
    out.fill(ZERO, at + 3, to);
    for (let i = from; i < from + width; i++) {
      out[to++] = HIGH_DIGIT[bytes[i]];
      out[to++] = LOW_DIGIT[bytes[i]];
    }
    out[to] = QUOTE;
    return this;
  }

  /** Array of the words of a run (n x 32 bytes), padded with zero words to `length` entries. */
  words(run: Uint8Array, length = run.length / 32): this {
    const count = run.length / 32;
    let at = this.#reserve(2 + count * (WORD_TEXT_BYTES + 1));
    const start = at;
    const out = this.#buffer;
    out[at++] = OPEN_ARRAY;
    for (let i = 0; i < run.length; ) {
      if (i > 0) out[at++] = COMMA;
      out[at++] = QUOTE;
      out[at++] = ZERO;
      out[at++] = LETTER_X;
      for (const end = i + 32; i < end; i++) {
        const byte = run[i];
        out[at++] = HIGH_DIGIT[byte];
        out[at++] = LOW_DIGIT[byte];
      }
      out[at++] = QUOTE;
    }
    this.#length = at;
    if (length > count) {
      const padding = zeroWordsText(length - count);
      const from = this.#reserve(padding.length);
      this.#buffer.set(padding, from);
      // The first element of an array that consists of padding has no comma before it.
      if (count === 0) {
        this.#buffer.copyWithin(start + 1, start + 2, this.#length);
        this.#length -= 1;
      }
    }
    const end = this.#reserve(1);
    this.#buffer[end] = CLOSE_ARRAY;
    return this;
  }

  /** Bare decimal digits. */
  number(value: number | bigint): this {
    return isSmall(value) ? this.#digits(value) : this.text(value.toString());
  }

  /** Quoted decimal digits: the JSON form of a big integer. */
  decimal(value: number | bigint): this {
    if (!isSmall(value)) return this.text(`"${value}"`);
    this.#buffer[this.#reserve(1)] = QUOTE;
    this.#digits(value);
    this.#buffer[this.#reserve(1)] = QUOTE;
    return this;
  }

  #digits(value: number): this {
    let digits = 1;
    for (let bound = 10; bound <= value; bound *= 10) digits++;
    const start = this.#reserve(digits);
    let rest = value;
    for (let at = start + digits - 1; at >= start; at--) {
      const shorter = (rest / 10) | 0;
      this.#buffer[at] = ZERO + rest - shorter * 10;
      rest = shorter;
    }
    return this;
  }

  /** Quoted decimal of a big-endian unsigned integer of `width` (at most 32) bytes. */
  decimalBytes(bytes: Uint8Array, from: number, width: number): this {
    let value = 0;
    for (let i = from; i < from + width; i++) {
      value = value * 256 + bytes[i];
      if (value > Number.MAX_SAFE_INTEGER) {
        return this.decimal(BigInt(`0x${Buffer.from(bytes.subarray(from, from + width)).toString("hex")}`));
      }
    }
    return this.decimal(value);
  }

  /** Quoted base64, with padding, of `bytes[from .. to)`. */
  base64(bytes: Uint8Array, from = 0, to = bytes.length): this {
    const source = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const digits = source.toString("base64", from, to);
    const at = this.#reserve(digits.length + 2);
    this.#buffer[at] = QUOTE;
    this.#buffer.write(digits, at + 1, "latin1");
    this.#buffer[at + 1 + digits.length] = QUOTE;
    return this;
  }

  /** `[` items `]`, each written by `write`. */
  array<T>(items: readonly T[], write: Write<T>): this {
    this.text("[");
    for (let i = 0; i < items.length; i++) {
      if (i > 0) this.text(",");
      yieldProcessor();
      write(this, items[i]);
    }
    return this.text("]");
  }
}

/** Writes one value. */
export type Write<R> = (out: JsonWriter, value: R) => void;
