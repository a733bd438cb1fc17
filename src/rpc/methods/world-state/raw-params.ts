import { FR_ZERO, type Fr, isCanonicalFr } from "../../../protocol/field.ts";
import type { Write } from "../../codecs/json/json-writer.ts";
import type { BlockParameter } from "../../codecs/shared/block-parameter.ts";
import type { RawForm } from "../../registry/registry.ts";

const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const COMMA = 0x2c;
const QUOTE = 0x22;
const ZERO = 0x30;
const NINE = 0x39;
const LETTER_X = 0x78;
const LATEST = Buffer.from('"latest"');
/** Quoted 0x and 64 digits. */
const WORD_TEXT_BYTES = 68;
/** A longer number is not the number of an existing block. */
const MAX_BLOCK_DIGITS = 9;

/** Value of a hex digit by its character code, 255 for other characters. */
const DIGIT = new Uint8Array(256).fill(255);
for (const [value, digit] of [..."0123456789abcdef"].entries()) {
  DIGIT[digit.charCodeAt(0)] = value;
  DIGIT[digit.toUpperCase().charCodeAt(0)] = value;
}

/**
 * Reads params in the form that clients usually send, without spaces: `latest`, a plain number or a hash for the block,
 * and fields as 0x with 64 digits. Each reading method returns undefined for anything else; the codecs then read or
 * reject it.
 */
class RawParams {
  readonly #body: Uint8Array;
  readonly #end: number;
  #at: number;

  constructor(body: Uint8Array, from: number, to: number) {
    this.#body = body;
    this.#at = from;
    this.#end = to;
  }

  /** Consumes the next character if it is `code`; returns whether it was. */
  skip(code: number): boolean {
    return this.#at < this.#end && this.#body[this.#at++] === code;
  }

  ended(): boolean {
    return this.#at === this.#end;
  }

  block(): BlockParameter | undefined {
    if (this.#body[this.#at] !== QUOTE) return this.#number();
    return this.#latest() ?? this.field();
  }

  #latest(): "latest" | undefined {
    for (let i = 0; i < LATEST.length; i++) if (this.#body[this.#at + i] !== LATEST[i]) return undefined;
    this.#at += LATEST.length;
    return "latest";
  }

  #number(): number | undefined {
    const start = this.#at;
    let value = 0;
    for (; this.#body[this.#at] >= ZERO && this.#body[this.#at] <= NINE; this.#at++) {
      value = value * 10 + this.#body[this.#at] - ZERO;
    }
    const digits = this.#at - start;
    return digits > 0 && digits <= MAX_BLOCK_DIGITS ? value : undefined;
  }

  field(): Fr | undefined {
    const body = this.#body;
    const at = this.#at;
    if (at + WORD_TEXT_BYTES > this.#end || body[at] !== QUOTE || body[at + WORD_TEXT_BYTES - 1] !== QUOTE)
      return undefined;
    if (body[at + 1] !== ZERO || body[at + 2] !== LETTER_X) return undefined;
    const bytes = new Uint8Array(32);
    for (let i = 0, digit = at + 3; i < 32; i++, digit += 2) {
      const high = DIGIT[body[digit]];
      const low = DIGIT[body[digit + 1]];
      if ((high | low) > 15) return undefined;
      bytes[i] = (high << 4) | low;
    }
    this.#at = at + WORD_TEXT_BYTES;
    return isCanonicalFr(bytes) ? bytes : undefined;
  }
}

type OfFields<R> = (block: BlockParameter, first: Fr, second: Fr) => R | undefined;

/** Raw form of a method with parameters block and field; `handle` returns the result's JSON text, if any. */
export function rawTextOfBlock(handle: (block: BlockParameter, field: Fr) => Uint8Array | undefined): RawForm {
  return rawOfBlock(1, handle, (out, text) => void out.bytes(text));
}

/** Raw form of a method with parameters block and one or two fields; a missing second field is zero. */
export function rawOfBlock<R>(fields: 1 | 2, handle: OfFields<R>, encode: Write<R>): RawForm {
  return (body, from, to, out) => {
    const params = new RawParams(body, from, to);
    const block = params.skip(OPEN_ARRAY) ? params.block() : undefined;
    if (block === undefined) return false;
    const first = params.skip(COMMA) ? params.field() : undefined;
    if (first === undefined) return false;
    let second: Fr | undefined = FR_ZERO;
    if (fields === 2) second = params.skip(COMMA) ? params.field() : undefined;
    if (second === undefined || !params.skip(CLOSE_ARRAY) || !params.ended()) return false;
    const result = handle(block, first, second);
    if (result === undefined) return false;
    encode(out, result);
    return true;
  };
}
