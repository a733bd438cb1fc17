/**
 * What came of a delivery: nothing is left, the client has to read first, there was no time for more, or what follows
 * is not there any more.
 */
export type Progress = "done" | "blocked" | "more" | "lost";

/** Where events go. */
export interface Outlet {
  send(text: Uint8Array): void;
  /** Whether the client has to read before it gets more. */
  readonly full: boolean;
}

/**
 * Remembers how far its client has come, and reads what follows when the client can take it. So it holds no events,
 * however slow the client is.
 */
export interface Subscription {
  readonly id: string;
  /** Tags, contracts and hashes that events are compared with. */
  readonly filters: number;
  /** Sends what is due until `end`, a time of performance.now(). */
  deliver(outlet: Outlet, end: number): Progress;
}
