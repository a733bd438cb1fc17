/** A signal for work that can be interrupted more than once. */
export class Interruption {
  #controller = new AbortController();

  /** Of the work that runs. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborts the signal, for work that begins later as well. */
  end(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** Aborts the signal of the work that runs, and gives later work a new one, unless end() was called. */
  interrupt(reason: unknown): void {
    const interrupted = this.#controller;
    if (!interrupted.signal.aborted) this.#controller = new AbortController();
    interrupted.abort(reason);
  }
}
