import type { JsonWriter } from "../codecs/json/json-writer.ts";
import { isNotification } from "./notifications.ts";

/** The calls of one batch, however they were read. */
export interface BatchCalls {
  readonly length: number;
  /**
   * Writes the answer to a call if that takes neither objects nor waiting. Otherwise it returns false, and what it
   * wrote counts for nothing.
   */
  write(at: number, out: JsonWriter): boolean;
  /** A call as JSON.parse gives it. */
  parsed(at: number): unknown;
  isNotification(at: number): boolean;
  /** To be called before the first pause: the bytes of a request are valid until then. */
  keep(): void;
}

/** Calls that were parsed. */
export class ParsedCalls implements BatchCalls {
  readonly #items: readonly unknown[];

  constructor(items: readonly unknown[]) {
    this.#items = items;
  }

  get length(): number {
    return this.#items.length;
  }

  write(): boolean {
    return false;
  }

  parsed(at: number): unknown {
    return this.#items[at];
  }

  isNotification(at: number): boolean {
    return isNotification(this.#items[at]);
  }

  keep(): void {}
}
