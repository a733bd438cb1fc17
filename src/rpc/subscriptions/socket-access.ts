import type { Dispatcher } from "../calls/dispatcher.ts";
import type { CallLimit } from "../limits/client-limit.ts";
import type { Answer, RequestHead } from "../wire/listener.ts";

/** What the client of a socket may call, and how often. */
export interface SocketAccess {
  dispatcher: Dispatcher;
  rateLimit: CallLimit | undefined;
}

/**
 * Decides about a request to open a socket: an HTTP answer refuses it. The function gives the access as it is now,
 * undefined once there is none any more.
 */
export type SocketGate = (head: RequestHead) => Answer | (() => SocketAccess | undefined);

const FORBIDDEN: Answer = {
  status: 403,
  headers: [["Content-Type", "text/plain; charset=utf-8"]],
  body: Buffer.from("Forbidden"),
};

/**
 * Keeps pages of other origins out. Browsers name the page's origin, and let pages read what comes by a socket from
 * anywhere; other clients name none.
 */
export function originGate(inner: SocketGate, origins: readonly string[]): SocketGate {
  const allowed = new Set(["", ...origins]);
  return (head) => (allowed.has(head.header("origin")) ? inner(head) : FORBIDDEN);
}
