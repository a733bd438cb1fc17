/** Bounds the bytes of answers that are being made or wait for clients to take them. */
export class AnswerBudget {
  readonly max: number;
  #waiting = 0;

  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.max = maxBytes;
  }

  /** Whether there is room, which is then taken. A single answer always fits when nothing else waits. */
  take(bytes: number): boolean {
    if (this.#waiting > 0 && this.#waiting + bytes > this.max) return false;
    this.#waiting += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#waiting -= bytes;
  }

  get waiting(): number {
    return this.#waiting;
  }
}

/** For answers that nothing bounds. */
export const UNBOUNDED = new AnswerBudget();
