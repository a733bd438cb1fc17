/** The client behind a request. May be asked until the request is answered. */
export interface Caller {
  /** IP address of the other end of the connection, in any text form; "" when it is gone already. */
  client(): string;
  /** Aborted when the connection closes before the answer is sent. */
  signal(): AbortSignal;
}
