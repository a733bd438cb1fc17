/**
 * Unix time for services that compare it with L1. On real networks it is the machine's time; a local network shifts it
 * with the time of its L1. Real-time deadlines do not use it.
 */
export class ShiftableClock {
  #offsetMs = 0;

  /** Milliseconds. */
  readonly now = (): number => Date.now() + this.#offsetMs;

  /** Sets the clock, which then continues from `ms`. */
  set(ms: number): void {
    this.#offsetMs = ms - Date.now();
  }
}
