import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { HttpError } from "./errors.ts";

/** Bytes that wait for the reader before the server is no longer read from. */
const MAX_WAITING_BYTES = 64 * 1024;

/** The response to one request, as undici receives it. Its iteration gives the pieces of the body, once. */
export class Response implements Dispatcher.DispatchHandler, AsyncIterableIterator<Uint8Array> {
  /** Settled with the head; rejected with what ended the exchange before. */
  readonly head: Promise<this>;
  status = 0;
  headers: IncomingHttpHeaders = {};
  readonly #settle: PromiseWithResolvers<this> = Promise.withResolvers();
  #controller: Dispatcher.DispatchController | undefined;
  #pieces: Uint8Array[] = [];
  #waitingBytes = 0;
  #reader: (() => void) | undefined;
  #isWhole = false;
  #failure: unknown;

  constructor() {
    this.head = this.#settle.promise;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure !== undefined) controller.abort(this.#failure as Error);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    this.#settle.resolve(this);
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    this.#pieces.push(piece);
    this.#waitingBytes += piece.length;
    if (this.#waitingBytes >= MAX_WAITING_BYTES) controller.pause();
    this.#reader?.();
  }

  onResponseEnd(): void {
    this.#isWhole = true;
    this.#reader?.();
  }

  onResponseError(_: unknown, error: Error): void {
    this.#failure ??= error;
    this.#settle.reject(this.#failure);
    this.#reader?.();
  }

  /** Ends the exchange, with this error for whoever waits for it, whether or not there is a connection yet. */
  abort(error: Error): void {
    this.onResponseError(undefined, error);
    this.#controller?.abort(error);
  }

  /** Ends the exchange when the reader has enough. */
  discard(): void {
    if (!this.#isWhole) this.abort(new HttpError("aborted", "the rest of the answer is not wanted"));
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    while (this.#pieces.length === 0) {
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#isWhole) return { done: true, value: undefined };
      await new Promise<void>((resolve) => (this.#reader = resolve));
    }
    const value = this.#pieces.shift()!;
    this.#waitingBytes -= value.length;
    if (this.#waitingBytes < MAX_WAITING_BYTES && this.#controller?.paused) this.#controller.resume();
    return { done: false, value };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
