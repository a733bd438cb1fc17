import { JsonWriter } from "../codecs/json/json-writer.ts";
import type { BatchCalls } from "./batch-calls.ts";

/** Scratch of one synchronous run, of all batches; empty between runs. */
const out = new JsonWriter();

/**
 * Answers to neighbouring calls of a batch, written one behind the other with commas between them. Of all runs only one
 * may have answers at a time: they have to be taken before the event loop goes on.
 */
export class AnswerRun {
  /** Call of the first answer. */
  from = 0;
  #isEmpty = true;

  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** Bytes so far. */
  get length(): number {
    return this.#isEmpty ? 0 : out.length;
  }

  /** See BatchCalls.write. */
  write(calls: BatchCalls, at: number): boolean {
    if (this.#isEmpty) out.rewind(0);
    const before = out.length;
    // The first byte is room for the bracket of a whole batch.
    out.text(this.#isEmpty ? "[" : ",");
    if (!calls.write(at, out)) {
      out.rewind(before);
      return false;
    }
    if (this.#isEmpty) this.from = at;
    this.#isEmpty = false;
    return true;
  }

  /** Takes the answers as they stand in a batch, and begins a new run. */
  take(): Uint8Array {
    const answers = new Uint8Array(out.writtenFrom(1));
    out.rewind(0);
    this.#isEmpty = true;
    return answers;
  }

  /** Takes the answers as the answer to a batch. */
  takeBatch(): Uint8Array {
    this.#isEmpty = true;
    return out.text("]").take();
  }
}
