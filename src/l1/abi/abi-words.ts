import { isZero, readUint, word } from "../../protocol/bytes.ts";
import { DecodeError } from "../../protocol/errors.ts";

const WORD = 32;

/**
 * A tuple in ABI encoding: its head, and tails at offsets from its start. Reads the calls and events of which a sync
 * reads one for each checkpoint, where viem's general decoder takes longer than everything else done with them. Every
 * read throws a DecodeError beyond the end.
 */
export class AbiWords {
  readonly #subject: string;
  readonly #bytes: Uint8Array;

  constructor(subject: string, bytes: Uint8Array) {
    this.#subject = subject;
    this.#bytes = bytes;
  }

  /** Word `index` of the head, as a view. */
  word(index: number): Uint8Array {
    return this.#run(index * WORD, WORD);
  }

  /** `count` words of the head, as a view. */
  words(index: number, count: number): Uint8Array {
    return this.#run(index * WORD, count * WORD);
  }

  /** The low `length` bytes of a word whose other bytes must be zero. */
  uintBytes(index: number, length: number): Uint8Array {
    const found = this.word(index);
    if (!isZero(found.subarray(0, WORD - length)))
      throw new DecodeError(this.#subject, `word ${index} must fit ${length} bytes`);
    return found.subarray(WORD - length);
  }

  /** The low 20 bytes of a word, as a view. */
  address(index: number): Uint8Array {
    return this.word(index).subarray(12);
  }

  /** The tuple in the tail that word `index` of the head names. */
  tail(index: number): AbiWords {
    return new AbiWords(this.#subject, this.#bytes.subarray(this.#offset(index)));
  }

  /** The byte string in the tail that word `index` names, as a view. */
  bytes(index: number): Uint8Array {
    const at = this.#offset(index);
    return this.#run(at + WORD, this.#length(at));
  }

  /** The words of the array of words in the tail that word `index` names, as views. */
  wordArray(index: number): Uint8Array[] {
    const { length, elements } = this.#array(index);
    const run = elements.words(0, length);
    return Array.from({ length }, (_, i) => word(run, i));
  }

  /** The tuples of the array in the tail that word `index` names; the tuples have tails of their own. */
  tupleArray(index: number): AbiWords[] {
    const { length, elements } = this.#array(index);
    elements.words(0, length);
    return Array.from({ length }, (_, i) => elements.tail(i));
  }

  #array(index: number): { length: number; elements: AbiWords } {
    const at = this.#offset(index);
    const length = this.#length(at);
    return { length, elements: new AbiWords(this.#subject, this.#bytes.subarray(at + WORD)) };
  }

  #offset(index: number): number {
    const at = readUint(this.uintBytes(index, 6), 0, 6);
    this.#run(at, WORD);
    return at;
  }

  #length(at: number): number {
    return readUint(new AbiWords(this.#subject, this.#run(at, WORD)).uintBytes(0, 6), 0, 6);
  }

  #run(at: number, length: number): Uint8Array {
    if (at + length > this.#bytes.length) {
      throw new DecodeError(this.#subject, `needs ${at + length} bytes, got ${this.#bytes.length}`);
    }
    return this.#bytes.subarray(at, at + length);
  }
}
