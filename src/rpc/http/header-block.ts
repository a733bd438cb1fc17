import type { Header } from "./listener.ts";

/** What no part of a header may hold: anything that ends a line, or that a parser might take for its end. */
const FORBIDDEN = /[\r\n\0]/;

/** A header as text cannot be sent: it holds a line break. */
export class HeaderValueError extends RangeError {
  readonly header: string;
  constructor(header: string) {
    super(`header ${JSON.stringify(header)} holds a line break`);
    this.name = "HeaderValueError";
    this.header = header;
  }
}

/** All headers of an answer as the name of the first and one value that holds the rest, so that one call writes them. */
export interface HeaderBlock {
  readonly name: Uint8Array;
  readonly value: Uint8Array;
}

const blocks = new WeakMap<readonly Header[], HeaderBlock>();

/** Made once for each list; the list must not change. Undefined for an empty one. Throws a HeaderValueError. */
export function headerBlock(headers: readonly Header[]): HeaderBlock | undefined {
  const known = blocks.get(headers);
  if (known !== undefined || headers.length === 0) return known;
  for (const [name, value] of headers)
    if (FORBIDDEN.test(name) || FORBIDDEN.test(value)) throw new HeaderValueError(name);
  const [[name, value], ...rest] = headers;
  const block = {
    name: Buffer.from(name, "latin1"),
    value: Buffer.from(value + rest.map(([further, text]) => `\r\n${further}: ${text}`).join(""), "latin1"),
  };
  blocks.set(headers, block);
  return block;
}
