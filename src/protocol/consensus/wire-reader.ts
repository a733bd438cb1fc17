import { readU32, toHex } from "../bytes.ts";
import { DecodeError } from "../errors.ts";
import { isCanonicalFr } from "../field.ts";

/**
 * Reads the parts of a message in order; parts are views of its bytes. Throws a DecodeError that names the part and the
 * broken rule.
 */
export class WireReader {
  readonly #bytes: Uint8Array;
  readonly #subject: string;
  #at = 0;

  /** `subject` names the message in errors. */
  constructor(bytes: Uint8Array, subject: string) {
    this.#bytes = bytes;
    this.#subject = subject;
  }

  /** Offset of the next part. */
  get at(): number {
    return this.#at;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  take(width: number, part: string): Uint8Array {
    if (width > this.left) this.fail(`${part} needs ${width} bytes, ${this.left} are left`);
    this.#at += width;
    return this.#bytes.subarray(this.#at - width, this.#at);
  }

  u32(part: string): number {
    return readU32(this.take(4, part), 0);
  }

  /** `count` field elements. */
  fields(count: number, part: string): Uint8Array {
    const run = this.take(count * 32, part);
    for (let at = 0; at < run.length; at += 32) this.#checkField(run, at, part);
    return run;
  }

  /** A structure of `width` bytes that has field elements at the offsets `fieldsAt`. */
  struct(width: number, fieldsAt: readonly number[], part: string): Uint8Array {
    const bytes = this.take(width, part);
    for (const at of fieldsAt) this.#checkField(bytes, at, part);
    return bytes;
  }

  #checkField(bytes: Uint8Array, at: number, part: string): void {
    if (isCanonicalFr(bytes, at)) return;
    this.fail(`${part} must be below the field modulus, got ${toHex(bytes.subarray(at, at + 32))}`);
  }

  fail(rule: string): never {
    throw new DecodeError(this.#subject, rule);
  }
}
