/** Reports commits to a store, whichever thread or process made them. */
export interface CommitWatch {
  /**
   * Calls the listener soon after a commit; commits that follow one another closely may be one call, and a failed
   * transaction may cause one too. Does not keep the process running. Returns an unsubscribe function.
   */
  onCommit(listener: () => void): () => void;
}

/** Waits on the word that counts ended transactions, while there are listeners. `index` is that of the word. */
export class CountedCommits implements CommitWatch {
  readonly #counts: Int32Array;
  readonly #index: number;
  readonly #listeners = new Set<() => void>();
  #waiting = false;

  constructor(counts: Int32Array, index: number) {
    this.#counts = counts;
    this.#index = index;
  }

  onCommit(listener: () => void): () => void {
    // A listener that subscribes twice is called twice.
    const own = (): void => listener();
    this.#listeners.add(own);
    if (!this.#waiting) this.#wait(Atomics.load(this.#counts, this.#index));
    return () => void this.#listeners.delete(own);
  }

  #wait(seen: number): void {
    this.#waiting = true;
    const { async: pending, value } = Atomics.waitAsync(this.#counts, this.#index, seen);
    if (pending) void value.then(() => this.#changed());
    else queueMicrotask(() => this.#changed());
  }

  #changed(): void {
    this.#waiting = false;
    if (this.#listeners.size === 0) return;
    // Waits again before the listeners run, so that a commit made meanwhile is not missed.
    this.#wait(Atomics.load(this.#counts, this.#index));
    for (const listener of [...this.#listeners]) listener();
  }
}
