const LENGTH_BYTES = 4;
const MIN_BYTES = 1_024;
const EMPTY = new DataView(new ArrayBuffer(0));

/**
 * Texts in their order, behind one another in one buffer. An array for each would take some 600 bytes, however short
 * the text is.
 */
export class TextQueue {
  #buffer = EMPTY;
  #from = 0;
  #to = 0;
  #length = 0;

  /** Texts. */
  get length(): number {
    return this.#length;
  }

  /** Bytes of the texts and their lengths. */
  get bytes(): number {
    return this.#to - this.#from;
  }

  /** What a text adds to `bytes`. */
  static bytesOf(text: Uint8Array): number {
    return LENGTH_BYTES + text.length;
  }

  /** Copies the text. */
  push(text: Uint8Array): void {
    this.#reserve(TextQueue.bytesOf(text));
    this.#buffer.setUint32(this.#to, text.length);
    this.#slice(this.#to + LENGTH_BYTES, text.length).set(text);
    this.#to += TextQueue.bytesOf(text);
    this.#length += 1;
  }

  /** The first text, in a buffer of its own. */
  shift(): Uint8Array | undefined {
    if (this.#length === 0) return undefined;
    const text = this.#slice(this.#from + LENGTH_BYTES, this.#buffer.getUint32(this.#from)).slice();
    this.#from += TextQueue.bytesOf(text);
    this.#length -= 1;
    if (this.#length === 0) this.clear();
    return text;
  }

  clear(): void {
    this.#buffer = EMPTY;
    this.#from = 0;
    this.#to = 0;
    this.#length = 0;
  }

  #slice(at: number, length: number): Uint8Array {
    return new Uint8Array(this.#buffer.buffer, at, length);
  }

  #reserve(more: number): void {
    if (this.#to + more <= this.#buffer.byteLength) return;
    const { bytes } = this;
    const grown = new Uint8Array(Math.max(MIN_BYTES, 2 * (bytes + more)));
    grown.set(this.#slice(this.#from, bytes));
    this.#buffer = new DataView(grown.buffer);
    this.#from = 0;
    this.#to = bytes;
  }
}
