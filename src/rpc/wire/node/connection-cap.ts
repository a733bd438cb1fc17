import type { Server } from "node:http";
import type { Socket } from "node:net";
import { clientNetwork } from "../../limits/client-address.ts";
import { IdleConnections } from "../../limits/idle-connections.ts";
import type { OpenConnections } from "../../limits/open-connections.ts";
import type { TrustedProxies } from "../trusted-proxies.ts";

/**
 * Connections over the cap that may wait for their refusal; further ones are closed unheard, so that refusing stays
 * cheap.
 */
const REFUSED_AT_ONCE = 64;
/** Time in which one of them has to ask something and take the refusal. */
const REFUSAL_MS = 2_000;

interface ConnectionLimits {
  /** Connections of all clients that are served at once, and of one client address; 0 for any number. */
  max: number;
  perClient: number;
  /** Whose connections are not counted per client address. */
  proxies?: TrustedProxies;
}

/**
 * Limits the connections of a node:http server, `open` counting those served. Tells whether a connection is over the
 * limits and is to be answered with TOO_MANY_CONNECTIONS whatever it asks. A new connection beyond the most takes the
 * place of the longest idle one.
 */
export function capConnections(
  server: Server,
  { max, perClient, proxies }: ConnectionLimits,
  open: OpenConnections,
): (socket: Socket) => boolean {
  if (max === 0 && perClient === 0) return () => false;
  const refused = new WeakSet<Socket>();
  /** Requests without a whole answer. */
  const underWay = new WeakMap<Socket, number>();
  const byClient = new Map<string, number>();
  if (max > 0) server.maxConnections = max + REFUSED_AT_ONCE;
  const idle = new IdleConnections<Socket>();
  server.on("request", ({ socket }, res) => {
    if (refused.has(socket)) return;
    const pending = (underWay.get(socket) ?? 0) + 1;
    underWay.set(socket, pending);
    idle.remove(socket);
    res.once("close", () => {
      const left = (underWay.get(socket) ?? 1) - 1;
      underWay.set(socket, left);
      if (left === 0 && !socket.destroyed) idle.add(socket);
    });
  });
  server.on("upgrade", ({ socket }) => idle.remove(socket));
  server.on("connection", (socket) => {
    const client = clientNetwork(socket.remoteAddress ?? "");
    const own = (byClient.get(client) ?? 0) + 1;
    const total = open.opened();
    const fits = perClient === 0 || own <= perClient || proxies?.trusts(socket.remoteAddress ?? "") === true;
    const longest = fits && max > 0 && total > max ? idle.takeLongest() : undefined;
    longest?.destroy();
    if (fits && (max === 0 || total <= max || longest !== undefined)) {
      byClient.set(client, own);
      idle.add(socket);
      socket.once("close", () => {
        open.closed();
        idle.remove(socket);
        const left = (byClient.get(client) ?? 1) - 1;
        if (left > 0) byClient.set(client, left);
        else byClient.delete(client);
      });
      return;
    }
    open.closed();
    refused.add(socket);
    const timer = setTimeout(() => socket.destroy(), REFUSAL_MS);
    socket.once("close", () => clearTimeout(timer));
  });
  return (socket) => refused.has(socket);
}
