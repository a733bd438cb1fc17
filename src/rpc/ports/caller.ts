import type { Subscriber } from "./subscriber.ts";

/** The client behind a request. Valid until the request is answered. */
export interface Caller {
  /** IP address of the client, behind trusted proxies, in any text form; "" once it has disconnected. */
  client(): string;
  /** Aborted when the connection closes before the answer is sent. */
  signal(): AbortSignal;
  /** Of a WebSocket connection. */
  readonly subscriber?: Subscriber;
  /**
   * Whether calls without an id are notifications, which get no answer (JSON-RPC 2.0 section 4.1). Over HTTP they are
   * answered, as the network's nodes do.
   */
  readonly sendsNotifications?: boolean;
}
