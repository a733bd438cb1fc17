import { HttpError } from "./errors.ts";

export interface TimeLimits {
  /** Limit for the total waiting time of an exchange, head and body, in milliseconds. */
  totalMs: number;
  /** Limit for one wait, in milliseconds; `totalMs` by default. */
  silenceMs?: number;
  /**
   * Minimum download rate in bytes per millisecond. Extends the total by the time that the received bytes take at this
   * rate, so that a long response is not cut off.
   */
  slowestRate?: number;
}

/** Minimum upload rate in bytes per millisecond. The time for the sent bytes is added to the limits. */
const SLOWEST_UPLOAD = 64;

/** Time limits of one exchange: measures the time spent waiting for the server. */
export class Patience {
  readonly #limits: TimeLimits;
  readonly #uploadMs: number;
  readonly #giveUp: (error: HttpError) => void;
  #waitedMs = 0;
  #receivedBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param giveUp aborts the current wait. */
  constructor(limits: TimeLimits, sentBytes: number, giveUp: (error: HttpError) => void) {
    this.#limits = limits;
    this.#uploadMs = sentBytes / SLOWEST_UPLOAD;
    this.#giveUp = giveUp;
  }

  received(bytes: number): void {
    this.#receivedBytes += bytes;
  }

  /** Runs one wait for the server under the limits. */
  async during<T>(wait: () => Promise<T>): Promise<T> {
    const start = performance.now();
    this.#arm();
    try {
      return await wait();
    } finally {
      clearTimeout(this.#timer);
      this.#waitedMs += performance.now() - start;
    }
  }

  /** Limits the time until the caller starts to read the body. The timer does not keep the process alive. */
  untilRead(): void {
    this.#arm();
    this.#timer?.unref();
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #arm(): void {
    const { totalMs, silenceMs = Number.POSITIVE_INFINITY, slowestRate } = this.#limits;
    const earnedMs = slowestRate === undefined ? 0 : this.#receivedBytes / slowestRate;
    const leftMs = Math.max(0, totalMs + this.#uploadMs + earnedMs - this.#waitedMs);
    const silent = silenceMs + this.#uploadMs <= leftMs;
    clearTimeout(this.#timer);
    // Node.js timers accept at most 2^31 - 1 ms.
    const delayMs = Math.min(silent ? silenceMs + this.#uploadMs : leftMs, 2 ** 31 - 1);
    this.#timer = setTimeout(() => this.#giveUp(this.#error(silent)), delayMs);
  }

  #error(silent: boolean): HttpError {
    const { totalMs, silenceMs, slowestRate } = this.#limits;
    if (silent) return new HttpError("timeout", `the server was silent for ${silenceMs} ms`);
    if (slowestRate === undefined || this.#receivedBytes === 0) {
      return new HttpError("timeout", `no complete answer within ${totalMs} ms`);
    }
    const waited = Math.round(this.#waitedMs);
    return new HttpError(
      "too-slow",
      `the server is too slow: ${this.#receivedBytes} bytes of the answer after ${waited} ms`,
    );
  }
}
