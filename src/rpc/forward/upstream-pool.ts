import { fromHex, toHex } from "../../protocol/bytes.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { RESOURCE_UNAVAILABLE, RpcError } from "../jsonrpc/errors.ts";
import type { PoolStatus } from "../ports/mempool.ts";
import type { PoolChange, PoolEvents, PoolRelay } from "../ports/pool-events.ts";
import { upstreamHeaders } from "./upstream-key.ts";
import { objectIn, UpstreamSocket } from "./upstream-socket.ts";

const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 3_000;
/** A connection that lasted this long was a good one: the next pause is the first one again. */
const SETTLED_MS = 10_000;
const READY_MS = 5_000;
/** Calls of one connection that wait for their answers; the upstream closes a socket with too many. */
const MOST_UNDER_WAY = 16;
/** Further ones are refused; the next change or block asks again. */
const MOST_ASKS = 16_384;
const CURSOR = /^(\w{1,32})\.(\d{1,15})$/;
const HASH = /^0x[0-9a-f]{64}$/;

interface Ask {
  readonly hash: Uint8Array;
  resolve(status: PoolStatus | undefined): void;
  reject(error: unknown): void;
}

export interface UpstreamPoolOptions {
  /** JSON-RPC URLs of nodes in order of preference, as they are now. */
  urls: () => readonly string[];
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
  #socket: UpstreamSocket | undefined;
  /** Whether the changes come. */
  #subscribed = false;
  #retry: NodeJS.Timeout | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #attempts = 0;
  #away = false;
  /** Called when the changes come, or when nobody listens any more. */
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
    this.#attempts = 0;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#connect(cursor);
  }

  async ready(): Promise<void> {
    if (!this.#subscribed && this.#wanted) {
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
    if (this.#subscribed) return;
    throw new RpcError(RESOURCE_UNAVAILABLE, "The pool of the full node cannot be followed at the moment");
  }

  close(): void {
    this.#wanted = false;
    clearTimeout(this.#retry);
    this.#socket?.end(new Error("nobody listens any more"));
    for (const { reject } of this.#asks.splice(0)) reject(new Error("nobody listens any more"));
    this.#settle();
  }

  /** Waits for a connection, over breaks too. Rejects when nobody listens any more. */
  status(hash: Uint8Array): Promise<PoolStatus | undefined> {
    if (!this.#wanted) return Promise.reject(new Error("the pool is not followed"));
    if (this.#asks.length >= MOST_ASKS) return Promise.reject(new Error("too many wait for the pool"));
    return new Promise((resolve, reject) => {
      this.#asks.push({ hash, resolve, reject });
      this.#ask();
    });
  }

  #connect(cursor: string | undefined): void {
    const urls = this.#options.urls();
    if (urls.length === 0) {
      this.#later(cursor, new Error("no node is known"));
      return;
    }
    const url = urls[this.#attempts % urls.length];
    this.#attempts += 1;
    const begun = performance.now();
    const socket = new UpstreamSocket(url, upstreamHeaders(this.#options.apiKey), {
      opened: () => this.#subscribe(socket, cursor),
      notified: (params) => this.#notified(params),
      closed: (error) => {
        if (this.#subscribed) this.#attempts = 0;
        if (performance.now() - begun > SETTLED_MS) this.#pauseMs = FIRST_PAUSE_MS;
        this.#socket = undefined;
        this.#subscribed = false;
        // The next connection asks again.
        this.#asks.unshift(...this.#underWay);
        this.#underWay.clear();
        if (this.#wanted) this.#later(cursor, error);
      },
    });
    this.#socket = socket;
  }

  #later(cursor: string | undefined, err: unknown): void {
    if (!this.#away) this.#options.log.warn({ err }, "the pool of a full node cannot be followed");
    this.#away = true;
    // All nodes are tried before a longer pause.
    if (this.#attempts % Math.max(1, this.#options.urls().length) === 0) {
      this.#pauseMs = Math.min(this.#pauseMs * 2, LAST_PAUSE_MS);
    }
    this.#retry = setTimeout(() => this.#connect(cursor), this.#pauseMs * (0.5 + Math.random() / 2)).unref();
  }

  #subscribe(socket: UpstreamSocket, given: string | undefined): void {
    const cursor = this.#last === undefined ? given : `${this.#last.run}.${this.#last.number}`;
    socket.call("svc_subscribe", ["pendingTransactions", ...(cursor === undefined ? [] : [{ cursor }])], (answer) => {
      if (!("error" in answer)) this.#subscribedAt(positionIn(objectIn(answer.result).cursor));
      else if (cursor === undefined) socket.end(answer.error);
      else {
        // The node cannot resume the cursor.
        socket.call("svc_subscribe", ["pendingTransactions"], (again) => {
          if ("error" in again) socket.end(again.error);
          else this.#subscribedAt(positionIn(objectIn(again.result).cursor));
        });
      }
    });
  }

  #subscribedAt(at: { run: string; number: number }): void {
    const isResumed = at.run === this.#last?.run && at.number === this.#last.number;
    if (!isResumed) this.#emit({ ...at, added: [], removed: [] });
    this.#subscribed = true;
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
    if (socket === undefined || !this.#subscribed) return;
    while (this.#underWay.size < MOST_UNDER_WAY) {
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
