import { JsonWriter } from "../codecs/json/json-writer.ts";
import type { BatchCalls } from "./batch-calls.ts";

/** Shared by all batches; empty whenever the event loop runs. */
const out = new JsonWriter();

/**
 * Answers to consecutive calls of a batch, comma separated. Uses one module-level buffer: call take() before yielding
 * to the event loop.
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
