/** What is prepared once, from the start on. After a failure the next who asks for it has it tried again. */
export class Preparation<T> {
  readonly #prepare: () => Promise<T>;
  #prepared: Promise<T> | undefined;
  #fault: Error | undefined;

  constructor(prepare: () => Promise<T>) {
    this.#prepare = prepare;
    this.get();
  }

  /** Why the last attempt that ended failed; undefined if it did not. */
  get fault(): Error | undefined {
    return this.#fault;
  }

  get(): Promise<T> {
    this.#prepared ??= this.#attempt();
    return this.#prepared;
  }

  #attempt(): Promise<T> {
    const attempt = this.#prepare();
    // Handled here, so that a rejection for which nobody waits is not unhandled.
    attempt.then(
      () => {
        this.#fault = undefined;
      },
      (error) => {
        this.#fault = error instanceof Error ? error : new Error(String(error));
        this.#prepared = undefined;
      },
    );
    return attempt;
  }
}
