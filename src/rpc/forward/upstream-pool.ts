import type { EndpointHealth } from "../../endpoints/endpoint-health.ts";
import { hedgedCall } from "../../endpoints/hedged-call.ts";
import { fromHex, toHex } from "../../protocol/bytes.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { RESOURCE_UNAVAILABLE, RpcError } from "../jsonrpc/errors.ts";
import type { PoolStatus } from "../ports/mempool.ts";
import type { PoolChange, PoolEvents, PoolRelay } from "../ports/pool-events.ts";
import type { UpstreamEndpoint, UpstreamEndpoints } from "./upstream-endpoints.ts";
import { upstreamHeaders } from "./upstream-key.ts";
import { objectIn, UpstreamCallError, UpstreamSocket } from "./upstream-socket.ts";

/** Before the nodes are asked again. */
const PAUSE_MS = 100;
/** The same if none of them answers. */
const ALL_FAILED_PAUSE_MS = 1_000;
const READY_MS = 5_000;
/** Calls of one connection that wait for their answers; the upstream closes a socket with too many. */
const MAX_UNDER_WAY = 16;
/** Further ones are refused; the next change or block asks again. */
const MAX_ASKS = 16_384;
const CURSOR = /^(\w{1,32})\.(\d{1,15})$/;
const HASH = /^0x[0-9a-f]{64}$/;

interface Ask {
  readonly hash: Uint8Array;
  resolve(status: PoolStatus | undefined): void;
  reject(error: unknown): void;
}

interface UpstreamPoolOptions {
  upstreams: UpstreamEndpoints;
  apiKey?: string;
  /** Longest wait of `ready`. */
  readyMs?: number;
  log: Logger;
}

/**
 * The pool of an upstream node, for the subscriptions of one thread: one WebSocket for all of them, open while one of
 * them is. After a break it goes on after the last change. Where that is not possible, as with another node, the next
 * change is of another run or has a number that does not follow.
 */
export class UpstreamPool implements PoolEvents, PoolRelay {
  readonly relay = this;
  readonly #options: UpstreamPoolOptions;
  readonly #listeners = new Set<(change: PoolChange) => void>();
  /** Of the last change. */
  #last: { run: string; number: number } | undefined;
  #wanted = false;
  /** The socket by which the changes come. */
  #socket: UpstreamSocket | undefined;
  /** Ends sockets that are being opened. */
  #opening = new AbortController();
  #retry: NodeJS.Timeout | undefined;
  #away = false;
  /** Called when changes arrive, or when the last listener has left. */
  readonly #settled = new Set<() => void>();
  #asks: Ask[] = [];
  /** Asked on the connection that is open. */
  readonly #underWay = new Set<Ask>();

  constructor(options: UpstreamPoolOptions) {
    this.#options = options;
  }

  onChange(listener: (change: PoolChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  open(cursor?: string): void {
    if (this.#wanted) return;
    this.#wanted = true;
    void this.#connect(cursor);
  }

  async ready(): Promise<void> {
    if (this.#socket === undefined && this.#wanted) {
      await new Promise<void>((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          this.#settled.delete(end);
          resolve();
        };
        const timer = setTimeout(end, this.#options.readyMs ?? READY_MS);
        this.#settled.add(end);
      });
    }
    if (this.#socket !== undefined) return;
    throw new RpcError(RESOURCE_UNAVAILABLE, "The pool of the full node cannot be followed at the moment");
  }

  close(): void {
    this.#wanted = false;
    clearTimeout(this.#retry);
    this.#opening.abort(new Error("nobody listens any more"));
    this.#socket?.end(new Error("nobody listens any more"));
    for (const { reject } of this.#asks.splice(0)) reject(new Error("nobody listens any more"));
    this.#settle();
  }

  /** Waits for a connection, over breaks too. Rejects when the last listener has left. */
  status(hash: Uint8Array): Promise<PoolStatus | undefined> {
    if (!this.#wanted) return Promise.reject(new Error("the pool is not followed"));
    if (this.#asks.length >= MAX_ASKS) return Promise.reject(new Error("too many wait for the pool"));
    return new Promise((resolve, reject) => {
      this.#asks.push({ hash, resolve, reject });
      this.#ask();
    });
  }

  async #connect(cursor: string | undefined): Promise<void> {
    const opening = new AbortController();
    this.#opening = opening;
    const open = (endpoint: UpstreamEndpoint, signal: AbortSignal) => this.#open(endpoint, cursor, signal);
    try {
      await hedgedCall(this.#options.upstreams.current(), open, {
        ...{ kind: "subscription", isFinal: () => false, signal: opening.signal },
        isOutage: (error) => !(error instanceof UpstreamCallError),
      });
    } catch (error) {
      if (this.#opening === opening) this.#later(cursor, error, ALL_FAILED_PAUSE_MS);
    }
  }

  /** Opens a socket and subscribes, unless another socket did so before. */
  #open({ url, health }: UpstreamEndpoint, cursor: string | undefined, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const socket = new UpstreamSocket(url, upstreamHeaders(this.#options.apiKey), {
      opened: () =>
        this.#subscribe(socket, cursor, (at) => {
          if (this.#socket !== undefined) return socket.end(new Error("another node was faster"));
          this.#socket = socket;
          this.#subscribedAt(at);
          resolve();
        }),
      notified: (params) => this.#notified(params),
      closed: (error) => {
        signal.removeEventListener("abort", aborted);
        reject(error);
        if (this.#socket === socket) this.#lost(health, cursor, error);
      },
    });
    const aborted = () => {
      if (this.#socket !== socket) socket.end(signal.reason);
    };
    signal.addEventListener("abort", aborted);
    return promise;
  }

  /** The connection by which the changes came is over. */
  #lost(health: EndpointHealth, cursor: string | undefined, error: unknown): void {
    this.#socket = undefined;
    // The next connection asks again.
    this.#asks.unshift(...this.#underWay);
    this.#underWay.clear();
    if (!this.#wanted) return;
    health.failed(error instanceof Error ? error.message : "the connection ended");
    const isOut = this.#options.upstreams.current().every((endpoint) => endpoint.health.state === "failing");
    this.#later(cursor, error, isOut ? ALL_FAILED_PAUSE_MS : PAUSE_MS);
  }

  #later(cursor: string | undefined, err: unknown, pauseMs: number): void {
    if (!this.#wanted) return;
    if (!this.#away) this.#options.log.warn({ err }, "the pool of a full node cannot be followed");
    this.#away = true;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.#connect(cursor), pauseMs * (0.5 + Math.random() / 2)).unref();
  }

  #subscribe(
    socket: UpstreamSocket,
    given: string | undefined,
    subscribed: (at: { run: string; number: number }) => void,
  ): void {
    const cursor = this.#last === undefined ? given : `${this.#last.run}.${this.#last.number}`;
    socket.call("svc_subscribe", ["pendingTransactions", ...(cursor === undefined ? [] : [{ cursor }])], (answer) => {
      if (!("error" in answer)) subscribed(positionIn(objectIn(answer.result).cursor));
      else if (cursor === undefined) socket.end(answer.error);
      else {
        // The node cannot resume the cursor.
        socket.call("svc_subscribe", ["pendingTransactions"], (again) => {
          if ("error" in again) socket.end(again.error);
          else subscribed(positionIn(objectIn(again.result).cursor));
        });
      }
    });
  }

  #subscribedAt(at: { run: string; number: number }): void {
    const isResumed = at.run === this.#last?.run && at.number === this.#last.number;
    if (!isResumed) this.#emit({ ...at, added: [], removed: [] });
    if (this.#away) this.#options.log.info({}, "the pool of a full node is followed again");
    this.#away = false;
    this.#settle();
    this.#ask();
  }

  #notified({ cursor, event }: Readonly<Record<string, unknown>>): void {
    const { added, removed } = objectIn(event);
    this.#emit({ ...positionIn(cursor), added: hashesIn(added), removed: hashesIn(removed) });
  }

  #emit(change: PoolChange): void {
    this.#last = { run: change.run, number: change.number };
    for (const listener of this.#listeners) listener(change);
  }

  #settle(): void {
    for (const settled of this.#settled) settled();
  }

  #ask(): void {
    const socket = this.#socket;
    if (socket === undefined) return;
    while (this.#underWay.size < MAX_UNDER_WAY) {
      const ask = this.#asks.shift();
      if (ask === undefined) return;
      this.#underWay.add(ask);
      socket.call("svc_getTxReceipt", [toHex(ask.hash)], (answer) => {
        if ("error" in answer) socket.end(answer.error);
        else {
          ask.resolve(statusIn(answer.result));
          this.#underWay.delete(ask);
          this.#ask();
        }
      });
    }
  }
}

function positionIn(cursor: unknown): { run: string; number: number } {
  const match = typeof cursor === "string" ? CURSOR.exec(cursor) : null;
  if (match === null) throw new TypeError("cursor: must be one of pending transactions");
  return { run: match[1], number: Number(match[2]) };
}

function hashesIn(list: unknown): Uint8Array[] {
  if (!Array.isArray(list)) throw new TypeError("hashes of transactions must be a list");
  return list.map((hash) => {
    if (typeof hash !== "string" || !HASH.test(hash)) throw new TypeError("a hash must have 32 bytes as hexadecimal");
    return fromHex(hash);
  });
}

/** A tx that is in a block there and not here is on its way here. */
function statusIn(receipt: unknown): PoolStatus | undefined {
  const { status } = objectIn(receipt);
  if (typeof status !== "string") throw new TypeError("status: must be a text");
  if (status === "dropped") return undefined;
  return status === "pending" ? "pending" : "mined";
}
