/**
 * Requests of a turn that are answered whatever time they take, so that a slow machine does not postpone the few that
 * are usual.
 */
const FREE_REQUESTS = 8;
/**
 * Time of a turn of the event loop in which requests are answered as they come, and again for those that were
 * postponed.
 */
const SLICE_MS = 1;

/**
 * Bounds the requests that are answered in one turn of the event loop. A read of half a megabyte may hold thousands
 * that one client pipelined; those beyond the turn's share wait for the next turns, in order, and what other clients
 * sent comes between.
 */
export class TurnShare {
  readonly #now: () => number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;
  #end = 0;
  #armed = false;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Counts a request. Whether it may be answered in this turn; otherwise it has to `wait`. */
  take(): boolean {
    this.#taken += 1;
    if (this.#taken < FREE_REQUESTS) return true;
    if (this.#taken > FREE_REQUESTS) return this.#now() < this.#end;
    // Fewer need no clock and no turn of their own.
    this.#end = this.#now() + SLICE_MS;
    this.#arm();
    return true;
  }

  /** Calls `answer` in a later turn. */
  wait(answer: () => void): void {
    this.#waiting.push(answer);
    this.#arm();
  }

  #arm(): void {
    if (!this.#armed) setImmediate(this.#turn);
    this.#armed = true;
  }

  readonly #turn = (): void => {
    this.#armed = false;
    this.#taken = 0;
    const end = this.#now() + SLICE_MS;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (this.#waiting.length > 0) this.#arm();
      next();
      if (this.#now() >= end) return;
    }
  };
}
