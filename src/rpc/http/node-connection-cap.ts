import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { OpenConnections } from "./open-connections.ts";

/** Connections over the cap that may wait for their refusal; further ones are closed unheard, so that refusing stays cheap. */
const REFUSED_AT_ONCE = 64;
/** Time in which one of them has to ask something and take the refusal. */
const REFUSAL_MS = 2_000;

/**
 * Serves at most `max` connections of a node:http server at once, `open` counting those served; 0 means any number. Tells whether a connection is over
 * that and is to be answered with TOO_MANY_CONNECTIONS whatever it asks.
 */
export function capConnections(server: Server, max: number, open: OpenConnections): (socket: Socket) => boolean {
  if (max === 0) return () => false;
  const refused = new WeakSet<Socket>();
  server.maxConnections = max + REFUSED_AT_ONCE;
  server.on("connection", (socket) => {
    if (open.opened() <= max) {
      socket.once("close", () => open.closed());
      return;
    }
    open.closed();
    refused.add(socket);
    const timer = setTimeout(() => socket.destroy(), REFUSAL_MS);
    socket.once("close", () => clearTimeout(timer));
  });
  return (socket) => refused.has(socket);
}
