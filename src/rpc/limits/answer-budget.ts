/** Bounds the bytes of answers that are being made or wait for clients to take them. */
export class AnswerBudget {
  readonly most: number;
  #waiting = 0;

  constructor(mostBytes = Number.POSITIVE_INFINITY) {
    this.most = mostBytes;
  }

  /** Whether there is room, which is then taken. A single answer always fits when nothing else waits. */
  take(bytes: number): boolean {
    if (this.#waiting > 0 && this.#waiting + bytes > this.most) return false;
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
