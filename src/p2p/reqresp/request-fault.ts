/** A peer did not open a stream, or did not answer, in time. */
export class RequestTimeoutError extends Error {
  readonly ms: number;

  constructor(step: string, ms: number) {
    super(`${step} took longer than ${ms} ms`);
    this.name = "RequestTimeoutError";
    this.ms = ms;
  }
}

/** This node gave the request up. */
export class RequestCancelledError extends Error {
  constructor() {
    super("the request was cancelled");
    this.name = "RequestCancelledError";
  }
}

/** Too many bytes of answers are held already. */
export class NoRoomError extends Error {
  constructor() {
    super("too many answers are being received");
    this.name = "NoRoomError";
  }
}

/** Names of failures that are not the peer's; those that are not of this file are libp2p's. */
const NOT_THE_PEERS = new Set([
  "RequestCancelledError",
  "NoRoomError",
  "ConnectionClosedError",
  "ConnectionClosingError",
  "MuxerClosedError",
  "NotStartedError",
  "TooManyOutboundProtocolStreamsError",
]);

/** The innermost cause, which says what happened to the stream. */
export function rootCause(error: unknown): Error {
  let cause = error instanceof Error ? error : new Error(String(error));
  while (cause.cause instanceof Error) cause = cause.cause;
  return cause;
}

/**
 * Whether a failed request is the peer's fault: a reset or refused stream, one that ends early, a protocol that it does
 * not offer, no answer in time.
 */
export function isPeersFault(cause: Error): boolean {
  return !NOT_THE_PEERS.has(cause.name);
}
