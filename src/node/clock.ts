/**
 * Unix time as the services that compare with L1 see it. On real networks it is the machine's; a local network moves it along with the
 * time of its L1. Deadlines of real time do not use it.
 */
export class ShiftableClock {
  #offsetMs = 0;

  /** Milliseconds. */
  readonly now = (): number => Date.now() + this.#offsetMs;

  /** Goes on from `ms`. */
  set(ms: number): void {
    this.#offsetMs = ms - Date.now();
  }
}
