import { DecodeError } from "../../protocol/errors.ts";

/** Reads a message from front to back and knows the path of the field being read, for errors. */
export class ByteReader {
  readonly #subject: string;
  readonly #bytes: Uint8Array;
  readonly #path: (string | number)[] = [];
  #at = 0;

  /** `subject` names the message in errors. */
  constructor(subject: string, bytes: Uint8Array) {
    this.#subject = subject;
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** The next bytes, as a view. Throws a DecodeError if there are fewer. */
  take(length: number): Uint8Array {
    if (length > this.left) this.fail(`needs ${length} bytes, ${this.left} are left`);
    const view = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return view;
  }

  /** Reads a member: errors in between name it. */
  member<T>(name: string | number, read: (from: ByteReader) => T): T {
    this.#path.push(name);
    const value = read(this);
    this.#path.pop();
    return value;
  }

  /** A reader of bytes that this one has taken, with the same path. */
  sub(bytes: Uint8Array): ByteReader {
    const reader = new ByteReader(this.#subject, bytes);
    reader.#path.push(...this.#path);
    return reader;
  }

  /** Throws a DecodeError about the current field. */
  fail(rule: string): never {
    const path = this.#path.map((name) => (typeof name === "number" ? `[${name}]` : `.${name}`)).join("");
    throw new DecodeError(`${this.#subject}${path}`, rule);
  }
}
