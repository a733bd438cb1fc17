/** A call that waits for something to give. */
interface Parked<T> {
  answer(value: T | undefined): void;
}

interface ParkOptions {
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal | undefined;
  readonly maxMs: number;
}

/**
 * Calls whose answer waits, up to a limit, until there is something to answer with (long polling). First come, first
 * served. A call that waits in vain is answered with undefined.
 */
export class ParkedCalls<K, T> {
  readonly #calls = new Map<Parked<T>, K>();

  park(key: K, { signal, maxMs }: ParkOptions): Promise<T | undefined> {
    if (signal?.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const leave = (): void => call.answer(undefined);
      const timer = setTimeout(leave, maxMs);
      const call: Parked<T> = {
        answer: (value) => {
          this.#calls.delete(call);
          clearTimeout(timer);
          signal?.removeEventListener("abort", leave);
          resolve(value);
        },
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#calls.set(call, key);
    });
  }

  /** Answers each call for which `give` returns something. */
  serve(give: (key: K) => T | undefined): void {
    for (const [call, key] of this.#calls) {
      const value = give(key);
      if (value !== undefined) call.answer(value);
    }
  }

  /** Answers every call with undefined. */
  release(): void {
    for (const call of this.#calls.keys()) call.answer(undefined);
  }

  get size(): number {
    return this.#calls.size;
  }
}
