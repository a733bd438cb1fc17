/**
 * The listeners of one kind of event. They are called in the order in which they subscribed. One that throws does not keep the others
 * from being called, nor the emitter from going on: its error goes to `failed`.
 */
export class Listeners<Args extends unknown[]> {
  readonly #listeners = new Set<(...args: Args) => void>();
  readonly #failed: (error: unknown) => void;

  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  /** Returns an unsubscribe function. */
  add(listener: (...args: Args) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  emit(...args: Args): void {
    for (const listener of this.#listeners) {
      try {
        listener(...args);
      } catch (error) {
        this.#failed(error);
      }
    }
  }
}
