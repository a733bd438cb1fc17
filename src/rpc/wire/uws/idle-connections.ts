import type * as uws from "uWebSockets.js";
import { IdleConnections } from "../../limits/idle-connections.ts";
import { peerOf } from "./client.ts";

interface Idle {
  readonly res: uws.HttpResponse;
  readonly client: string;
}

/**
 * Connections that have not asked anything yet, so that the longest idle can be closed. The library gives a response
 * object when a connection opens, which holds until a request comes by it, and does not tell which connection a request
 * came by. So with a request, all connections of its client's address are forgotten: none is touched that may be in
 * use.
 */
export class UwsIdleConnections {
  readonly #idle = new IdleConnections<Idle>();
  readonly #byClient = new Map<string, Set<Idle>>();
  /** Few places are left: connections end with their answers instead of being kept for further requests. */
  crowded = false;

  opened(res: uws.HttpResponse): void {
    const connection: Idle = { res, client: peerOf(res) };
    this.#idle.add(connection);
    const others = this.#byClient.get(connection.client);
    if (others === undefined) this.#byClient.set(connection.client, new Set([connection]));
    else others.add(connection);
    // Called when the connection ends, until a request sets its own.
    res.onAborted(() => this.#forget(connection));
  }

  /** To be called with each request, before anything is asked of this object again. */
  asked(res: uws.HttpResponse): void {
    if (this.#byClient.size === 0) return;
    const client = peerOf(res);
    for (const connection of this.#byClient.get(client) ?? []) this.#idle.remove(connection);
    this.#byClient.delete(client);
  }

  /** Closes the connection that has been idle longest. Whether there was one. */
  closeLongest(): boolean {
    const longest = this.#idle.takeLongest();
    if (longest === undefined) return false;
    this.#forget(longest);
    longest.res.close();
    return true;
  }

  #forget(connection: Idle): void {
    this.#idle.remove(connection);
    const others = this.#byClient.get(connection.client);
    others?.delete(connection);
    if (others?.size === 0) this.#byClient.delete(connection.client);
  }
}
