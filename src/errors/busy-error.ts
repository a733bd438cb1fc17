/** A bounded queue is full. The request had no effect and may succeed later. */
export abstract class BusyError extends Error {
  /** Stable across releases, for scripts and alerts. */
  abstract readonly errorCode: string;
  /** Number of entries in the queue. */
  readonly waiting: number;

  constructor(message: string, waiting: number) {
    super(message);
    this.waiting = waiting;
  }
}
