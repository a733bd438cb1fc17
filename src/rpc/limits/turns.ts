/** Time that a long task takes on a thread before others get their turn. */
export const SLICE_MS = 1;

/**
 * Distributes the turns of the event loop among long tasks: one waiting task continues per turn. However many tasks
 * wait, other work is delayed by one slice only.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];

  /** Whether no task waits. */
  get idle(): boolean {
    return this.#waiting.length === 0;
  }

  /** Calls `next` in a turn of its own. */
  take(next: () => void): void {
    this.#waiting.push(next);
    if (this.#waiting.length === 1) setImmediate(this.#turn);
  }

  /** Resolves in a turn of its own. */
  wait(): Promise<void> {
    return new Promise((resolve) => this.take(resolve));
  }

  readonly #turn = (): void => {
    const next = this.#waiting.shift();
    if (this.#waiting.length > 0) setImmediate(this.#turn);
    next?.();
  };
}
