/** Something that has to have happened by a certain time. */
export interface Timed {
  /** Set by Deadlines: milliseconds of performance.now(). */
  deadline: number;
  /** Called once when that time has passed. */
  expired(): void;
}

const TICK_MS = 100;

/** One timer for all that is unfinished: a deadline is noticed at most a tenth of a second late. */
export class Deadlines {
  readonly #pending = new Set<Timed>();
  #timer: NodeJS.Timeout | undefined;

  /** Sets or moves the deadline of `timed`. */
  set(timed: Timed, ms: number): void {
    timed.deadline = performance.now() + ms;
    this.#pending.add(timed);
    this.#timer ??= setInterval(() => this.#sweep(), TICK_MS);
  }

  clear(timed: Timed): void {
    this.#pending.delete(timed);
  }

  #sweep(): void {
    const now = performance.now();
    for (const timed of this.#pending) {
      if (timed.deadline > now) continue;
      this.#pending.delete(timed);
      timed.expired();
    }
    if (this.#pending.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
