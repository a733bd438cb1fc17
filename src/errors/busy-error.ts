/** A bounded queue is full. Nothing was done; the same request may succeed later. */
export abstract class BusyError extends Error {
  /** Stable across releases, for scripts and alerts. */
  abstract readonly errorCode: string;
  /** Entries of the queue. */
  readonly waiting: number;

  constructor(message: string, waiting: number) {
    super(message);
    this.waiting = waiting;
  }
}
