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

/** Something that has to have happened by a certain time. */
export interface Timed {
  /** Set by Deadlines: milliseconds of performance.now(). */
  deadline: number;
  /** Called once when that time has passed. */
  expired(): void;
}

const TICK_MS = 100;

/** One timer for all that is unfinished: a deadline is noticed at most a tenth of a second late. */
export class Deadlines {
  readonly #pending = new Set<Timed>();
  #timer: NodeJS.Timeout | undefined;

  /** Sets or moves the deadline of `timed`. */
  set(timed: Timed, ms: number): void {
    timed.deadline = performance.now() + ms;
    this.#pending.add(timed);
    this.#timer ??= setInterval(() => this.#sweep(), TICK_MS);
  }

  clear(timed: Timed): void {
    this.#pending.delete(timed);
  }

  #sweep(): void {
    const now = performance.now();
    for (const timed of this.#pending) {
      if (timed.deadline > now) continue;
      this.#pending.delete(timed);
      timed.expired();
    }
    if (this.#pending.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** Requests in flight, and the wish that there be none. */
export class Drain {
  closing = false;
  #inFlight = 0;
  #empty: (() => void) | undefined;

  get inFlight(): number {
    return this.#inFlight;
  }

  enter(): void {
    this.#inFlight += 1;
  }

  leave(): void {
    this.#inFlight -= 1;
    if (this.#inFlight === 0) this.#empty?.();
  }

  async finish(graceMs: number): Promise<void> {
    this.closing = true;
    if (this.#inFlight === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#empty = resolve;
      timer = setTimeout(resolve, graceMs);
    });
    clearTimeout(timer);
  }
}
