import { HttpError } from "./errors.ts";

export interface TimeLimits {
  /** For all waits of an exchange together, head and body. Milliseconds. */
  totalMs: number;
  /** For one wait; the total unless told. Milliseconds. */
  silenceMs?: number;
  /**
   * Adds to the total what the bytes of the answer take at this rate, so that a long answer has the time that it needs at the rate. Bytes
   * in a millisecond.
   */
  slowestRate?: number;
}

/** Slowest upload that is waited for, on top of the limits. Bytes in a millisecond. */
const SLOWEST_UPLOAD = 64;

/** How long one exchange still waits for its server. */
export class Patience {
  readonly #limits: TimeLimits;
  readonly #uploadMs: number;
  readonly #giveUp: (error: HttpError) => void;
  #waitedMs = 0;
  #receivedBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param giveUp makes the wait that is under way fail. */
  constructor(limits: TimeLimits, sentBytes: number, giveUp: (error: HttpError) => void) {
    this.#limits = limits;
    this.#uploadMs = sentBytes / SLOWEST_UPLOAD;
    this.#giveUp = giveUp;
  }

  received(bytes: number): void {
    this.#receivedBytes += bytes;
  }

  /** One wait for the server. */
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

  /** An answer that nobody reads is given up too; it keeps no process alive. */
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
    // Node takes delays up to 2^31 - 1 ms.
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
