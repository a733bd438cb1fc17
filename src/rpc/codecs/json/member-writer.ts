import type { JsonWriter, Write } from "./json-writer.ts";

/** Writes the named members of an object that are not undefined, in order. */
export class MemberWriter {
  readonly #out: JsonWriter;
  #first = true;

  constructor(out: JsonWriter) {
    this.#out = out.text("{");
  }

  /** `name` has to be plain ASCII. */
  add<T>(name: string, value: T | undefined, write: Write<T>): this {
    if (value === undefined) return this;
    this.#out.text(`${this.#first ? "" : ","}"${name}":`);
    this.#first = false;
    write(this.#out, value);
    return this;
  }

  end(): void {
    this.#out.text("}");
  }
}
