import type { JsonWriter } from "../codecs/json/json-writer.ts";
import type { RpcAnswer } from "../jsonrpc/answer.ts";
import type { ReadCall, ReadRequest } from "./long-calls.ts";
import { isNotification } from "./notifications.ts";

/** The calls of one batch, however they were read. */
export interface BatchCalls {
  readonly length: number;
  /**
   * Writes the answer to a call if that takes neither objects nor waiting. Otherwise it returns false, and what it
   * wrote counts for nothing.
   */
  write(at: number, out: JsonWriter): boolean;
  /** A call as JSON.parse gives it, or a ReadSlot. */
  item(at: number): unknown;
  isNotification(at: number): boolean;
  /** To be called before the first pause: the bytes of a request are valid until then. */
  keep(): void;
}

/** What another thread made of a call; not to be taken for anything that JSON.parse gives. */
export class ReadSlot {
  readonly slot: RpcAnswer | ReadCall;

  constructor(slot: RpcAnswer | ReadCall) {
    this.slot = slot;
  }
}

/** Calls that were parsed here, or read on another thread. */
export class ParsedCalls implements BatchCalls {
  readonly #items: readonly unknown[];
  readonly #isNotification: (at: number) => boolean;

  static ofRead({ slots, notifications }: ReadRequest): ParsedCalls {
    const silent = new Set(notifications);
    return new ParsedCalls(
      slots.map((slot) => new ReadSlot(slot)),
      (at) => silent.has(at),
    );
  }

  constructor(items: readonly unknown[], isSilent = (at: number) => isNotification(items[at])) {
    this.#items = items;
    this.#isNotification = isSilent;
  }

  get length(): number {
    return this.#items.length;
  }

  write(): boolean {
    return false;
  }

  item(at: number): unknown {
    return this.#items[at];
  }

  isNotification(at: number): boolean {
    return this.#isNotification(at);
  }

  keep(): void {}
}
