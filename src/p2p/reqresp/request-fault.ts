/** Failures that are not the peer's: this node closed the connection, or it closed while the request was waiting. */
const NOT_THE_PEERS = new Set([
  "ConnectionClosedError",
  "ConnectionClosingError",
  "MuxerClosedError",
  "NotStartedError",
  "TooManyOutboundProtocolStreamsError",
]);

/** A peer did not open a stream, or did not answer, in time. */
export class RequestTimeoutError extends Error {
  readonly ms: number;

  constructor(step: string, ms: number) {
    super(`${step} took longer than ${ms} ms`);
    this.name = "RequestTimeoutError";
    this.ms = ms;
  }
}

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
export function isPeersFault(error: unknown): boolean {
  return !NOT_THE_PEERS.has(rootCause(error).name);
}
