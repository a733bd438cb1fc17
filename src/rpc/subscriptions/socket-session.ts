import { setMaxListeners } from "node:events";
import { RateLimit } from "../../events/rate-limit.ts";
import { bodyBytes, ownBody, release } from "../calls/answer-sink.ts";
import type { AdmitBatch } from "../calls/dispatcher.ts";
import { NO_ANSWER } from "../calls/notifications.ts";
import type { RpcAnswer } from "../jsonrpc/answer.ts";
import { ExecutionError, LIMIT_EXCEEDED, RpcError } from "../jsonrpc/errors.ts";
import type { AnswerBudget } from "../limits/answer-budget.ts";
import type { TurnShare } from "../limits/turn-share.ts";
import type { Subscribed, Subscriber, SubscriptionKind, SubscriptionOptions } from "../ports/subscriber.ts";
import {
  POLICY_VIOLATION,
  type ServerSocket,
  type SocketCut,
  type SocketHandlers,
  TRY_AGAIN_LATER,
} from "../wire/web-socket.ts";
import type { SocketAccess } from "./socket-access.ts";
import type { Outlet, Subscription } from "./subscription.ts";
import type { Member, SubscriptionHub } from "./subscription-hub.ts";
import { TextQueue } from "./text-queue.ts";

/** Calls of one socket whose answers are being made; further ones wait. */
const MAX_UNDER_WAY = 32;
/** Calls of one socket that wait; with a further one it is closed. */
const MAX_WAITING = 1_024;
/**
 * Pings and pongs of one client: their handling and the answers to pings cost the node, too. Clients that keep a
 * connection alive send less than one per second.
 */
const CONTROL_FRAMES = { burst: 128, perSecond: 16 };

export interface SocketLimits {
  /** Subscriptions of one socket. */
  maxSubscriptions: number;
  /** Tags, contracts and tx hashes in the subscriptions of one socket. */
  maxFilters: number;
  /** Bytes that a client may leave unread before it gets nothing more. */
  maxBuffered: number;
  /** Bytes of calls of one socket that wait. */
  maxWaitingBytes: number;
}

export interface SessionParts {
  /** undefined when the client may do nothing any more. */
  access(): SocketAccess | undefined;
  hub: SubscriptionHub;
  /** Bounds the bytes of calls and answers that wait, of all sockets. */
  budget: AnswerBudget;
  share: TurnShare;
  limits: SocketLimits;
  /** Called when the client has left something unread. */
  unread(session: SocketSession): void;
  failed(error: unknown): void;
  /** Called when the connection is ended for what its client did. */
  cut(session: SocketSession, cause: SocketCut, reason: string): void;
  closed(session: SocketSession): void;
}

interface Subscribing {
  readonly subscription: Subscription;
  /** Events come after the answer. */
  ready: boolean;
}

/** One connection: answers its calls, has its subscriptions, and bounds what it makes the node keep. */
export class SocketSession implements SocketHandlers, Member {
  readonly client: string;
  readonly #socket: ServerSocket;
  readonly #parts: SessionParts;
  readonly #outlet: Outlet;
  /** Tips come last: a client hears of a block before it hears that the tip moved to it. */
  #subscriptions: Subscribing[] = [];
  readonly #waiting = new TextQueue();
  readonly #controls = new RateLimit(CONTROL_FRAMES);
  #underWay = 0;
  /** Bytes of the answer that was sent last. */
  #lastBytes = 0;
  #scheduled = false;
  /** Bytes of `buffered` that the budget knows of. */
  #accounted = 0;
  #gone: AbortController | undefined;
  #open = true;

  constructor(socket: ServerSocket, client: string, parts: SessionParts) {
    this.client = client;
    this.#socket = socket;
    this.#parts = parts;
    const { maxBuffered } = parts.limits;
    this.#outlet = {
      send: (text) => socket.send(text),
      get full() {
        return socket.buffered >= maxBuffered;
      },
    };
  }

  /** Bytes that the client has not read, as far as this process holds them. */
  get buffered(): number {
    return this.#socket.buffered;
  }

  message(text: Uint8Array): void {
    if (!this.#open) return;
    const access = this.#access();
    if (access === undefined) return;
    const refusal = access.rateLimit?.request(this.client);
    if (refusal !== undefined) return void this.#send(refusal);
    if (this.#waiting.length === 0 && this.#canAnswer && this.#parts.share.take()) return void this.#answer(text);
    const { maxWaitingBytes } = this.#parts.limits;
    const bytes = TextQueue.bytesOf(text);
    const isTooMuch = this.#waiting.length > 0 && this.#waiting.bytes + bytes > maxWaitingBytes;
    if (isTooMuch || this.#waiting.length >= MAX_WAITING) {
      return void this.cut("calls", TRY_AGAIN_LATER, "too many calls wait for their answers");
    }
    if (!this.#parts.budget.take(bytes)) return void this.cut("busy", TRY_AGAIN_LATER, "the node is busy");
    this.#waiting.push(text);
    this.#schedule();
  }

  /** What a ping makes the node send counts like all else that the client leaves unread. */
  control(): boolean {
    if (!this.#open) return false;
    const access = this.#access();
    if (access === undefined) return false;
    if (!this.#controls.take() || access.rateLimit?.request(this.client) !== undefined) {
      this.cut("control_frames", POLICY_VIOLATION, "too many pings and pongs");
    } else this.#account();
    return this.#open;
  }

  drained(): void {
    this.#account();
    this.#schedule();
    if (this.#subscriptions.length > 0 && !this.#outlet.full) this.#parts.hub.wake(this);
  }

  closed(): void {
    this.#stop();
    this.#parts.budget.release(this.#accounted);
    this.#accounted = 0;
  }

  /** What the client has not read counts until the connection is closed, which may take a while. */
  end(code: number, reason: string): void {
    this.#stop();
    this.#socket.end(code, reason);
  }

  cut(cause: SocketCut, code: number, reason: string): void {
    this.wasCut(cause, reason);
    this.end(code, reason);
  }

  wasCut(cause: SocketCut, reason: string): void {
    if (this.#open) this.#parts.cut(this, cause, reason);
  }

  #stop(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#gone?.abort();
    const { hub, budget } = this.#parts;
    for (const { subscription } of this.#subscriptions) hub.unsubscribe(subscription);
    this.#subscriptions = [];
    hub.forget(this);
    budget.release(this.#waiting.bytes);
    this.#waiting.clear();
    this.#parts.closed(this);
  }

  deliver(end: number): boolean {
    if (this.#access() === undefined) return false;
    let more = false;
    let isLost = false;
    try {
      this.#socket.together(() => {
        for (const { subscription, ready } of this.#subscriptions) {
          const progress = ready ? subscription.deliver(this.#outlet, end) : "done";
          more = progress === "more";
          isLost = progress === "lost";
          if (progress !== "done") break;
        }
      });
    } catch (error) {
      this.#parts.failed(error);
      this.end(TRY_AGAIN_LATER, "events could not be read");
      return false;
    }
    if (isLost) this.end(TRY_AGAIN_LATER, "events were missed; subscribe without a cursor");
    this.#account();
    return more && this.#open;
  }

  /** Why this connection cannot be kept, if so. */
  overdue(): string | undefined {
    for (const { subscription } of this.#subscriptions) {
      const reason = this.#parts.hub.overdue(subscription);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }

  #access(): SocketAccess | undefined {
    const access = this.#parts.access();
    if (access === undefined) this.end(POLICY_VIOLATION, "the API key is not valid any more");
    return access;
  }

  /** Answers that are being made have no room in what the client may leave unread, so long ones are made singly. */
  get #canAnswer(): boolean {
    if (this.#outlet.full || this.#underWay >= MAX_UNDER_WAY) return false;
    return this.#underWay * this.#lastBytes <= this.#parts.limits.maxBuffered;
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0 || !this.#canAnswer) return;
    this.#scheduled = true;
    this.#parts.share.wait(() => {
      this.#scheduled = false;
      const text = this.#waiting.shift();
      if (text === undefined) return;
      this.#parts.budget.release(TextQueue.bytesOf(text));
      this.#answer(text);
      this.#schedule();
    });
  }

  #answer(text: Uint8Array): void {
    const access = this.#access();
    if (access === undefined) return;
    const { dispatcher, rateLimit } = access;
    const admitBatch: AdmitBatch | undefined =
      rateLimit && ((furtherCalls) => rateLimit.batch(this.client, furtherCalls));
    const answered: (() => void)[] = [];
    const caller = {
      client: () => this.client,
      signal: () => this.#signal(),
      subscriber: this.#subscriber(answered),
      sendsNotifications: true,
    };
    const answer = dispatcher.answerBytes(text, admitBatch, caller);
    const give = (given: RpcAnswer): void => {
      if (given !== NO_ANSWER) this.#send(given);
      for (const begin of answered) begin();
    };
    if (!(answer instanceof Promise)) return void give(answer);
    this.#underWay += 1;
    void answer.then((settled) => {
      this.#underWay -= 1;
      give(settled);
      this.#schedule();
    });
  }

  #signal(): AbortSignal {
    if (this.#gone === undefined) {
      this.#gone = new AbortController();
      // One for each call under way.
      setMaxListeners(0, this.#gone.signal);
      if (!this.#open) this.#gone.abort();
    }
    return this.#gone.signal;
  }

  /** What a call can do; the subscriptions that it begins have a function in `answered`. */
  #subscriber(answered: (() => void)[]): Subscriber {
    return {
      subscribe: async (kind, options) => {
        const subscribing: { made?: Subscribing } = {};
        const subscribed = await this.#subscribe(kind, options, subscribing);
        answered.push(() => {
          if (subscribing.made !== undefined) subscribing.made.ready = true;
          this.#parts.hub.wake(this);
        });
        return subscribed;
      },
      unsubscribe: (id) => {
        const found = this.#subscriptions.find(({ subscription }) => subscription.id === id);
        if (found === undefined) return false;
        this.#subscriptions = this.#subscriptions.filter((other) => other !== found);
        this.#parts.hub.unsubscribe(found.subscription);
        return true;
      },
    };
  }

  #subscribe(
    kind: SubscriptionKind,
    options: SubscriptionOptions,
    subscribing: { made?: Subscribing },
  ): Promise<Subscribed> {
    const { hub, limits } = this.#parts;
    return hub.subscribe(this, kind, options, (subscription) => {
      if (!this.#open) throw new RpcError(LIMIT_EXCEEDED, "The connection is closed");
      const all = this.#subscriptions.map((other) => other.subscription);
      if (all.some(({ id }) => id === subscription.id)) {
        throw new ExecutionError(`This connection has the subscription ${subscription.id} already`);
      }
      if (all.length >= limits.maxSubscriptions) {
        throw new RpcError(LIMIT_EXCEEDED, `A connection has at most ${limits.maxSubscriptions} subscriptions`);
      }
      const filters = all.reduce((sum, other) => sum + other.filters, subscription.filters);
      if (filters > limits.maxFilters) {
        const what = "tags, contracts and transaction hashes";
        throw new RpcError(LIMIT_EXCEEDED, `A connection subscribes to at most ${limits.maxFilters} ${what}`);
      }
      const made = { subscription, ready: false };
      subscribing.made = made;
      if (kind === "tips") this.#subscriptions.push(made);
      else this.#subscriptions.unshift(made);
    });
  }

  #send(answer: RpcAnswer): void {
    // Calls that were under way when the connection ended are still answered.
    if (!this.#open) return void release(answer);
    const bytes = bodyBytes(answer);
    // Before the library has the bytes: many clients may not read at once.
    if (!this.#parts.budget.take(bytes)) {
      release(answer);
      return void this.#endForOthers();
    }
    this.#accounted += bytes;
    this.#lastBytes = bytes;
    this.#socket.give(ownBody(answer));
    this.#account();
  }

  #account(): void {
    if (!this.#open) return;
    const { buffered } = this.#socket;
    const more = buffered - this.#accounted;
    if (buffered > 0) this.#parts.unread(this);
    if (more > 0 && !this.#parts.budget.take(more)) return void this.#endForOthers();
    if (more < 0) this.#parts.budget.release(-more);
    this.#accounted = buffered;
  }

  #endForOthers(): void {
    this.cut("busy", TRY_AGAIN_LATER, "the node is busy: too many answers wait to be taken");
  }
}
