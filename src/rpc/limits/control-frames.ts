/** Pings and pongs of one client at once, and per second in the long run. Clients that keep a connection alive send less
 * than one per second. */
const BURST = 128;
const PER_SECOND = 16;

/** A token bucket for the control frames of one socket: their handling and the answers to pings cost the node, too. */
export class ControlFrames {
  readonly #now: () => number;
  #left = BURST;
  #at: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#at = now();
  }

  /** Counts a frame. Whether the client may send it. */
  take(): boolean {
    const now = this.#now();
    this.#left = Math.min(BURST, this.#left + ((now - this.#at) / 1_000) * PER_SECOND);
    this.#at = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
