import type * as uws from "uWebSockets.js";
import { bodyBytes, kept, release } from "../../calls/answer-sink.ts";
import type { AnswerBudget } from "../../limits/answer-budget.ts";
import { detachBuffer } from "../../limits/detach-buffer.ts";
import type { TurnShare } from "../../limits/turn-share.ts";
import type { Turns } from "../../limits/turns.ts";
import type { Caller } from "../../ports/caller.ts";
import {
  type Answer,
  type BodyRequest,
  type HttpApplication,
  isBodyRequest,
  type ListenerOptions,
  type RequestHead,
} from "../listener.ts";
import { TOO_MANY_ANSWERS } from "../refusals.ts";
import { BodyCollector } from "../request-body.ts";
import { headBytes } from "./answer-head.ts";
import { clientOf } from "./client.ts";
import type { Deadlines, Drain, Timed, UwsIdleConnections } from "./connection-ends.ts";

/** What the exchanges of one listener share. */
export interface Exchanges {
  application: HttpApplication;
  options: ListenerOptions;
  drain: Drain;
  idle: UwsIdleConnections;
  deadlines: Deadlines;
  budget: AnswerBudget;
  turns: Turns;
  share: TurnShare;
}

/** Answers up to this size are handed over whole when the connection ends with them. */
const WHOLE_ANSWER_BYTES = 64 * 1024;
/** What is given to the kernel in one turn: copying it takes less than a tenth of a millisecond. */
const PIECE_BYTES = 256 * 1024;

/** A body, read piece by piece. */
class Body {
  readonly length: number;
  readonly #parts: readonly Uint8Array[];

  constructor(answer: Answer) {
    const { body = EMPTY, end } = answer;
    this.#parts = end === undefined ? [body] : [body, end];
    this.length = bodyBytes(answer);
  }

  /** From an offset on, to the end of a part at most. */
  piece(offset: number): Uint8Array {
    let from = offset;
    for (const part of this.#parts) {
      if (from < part.length) return part.subarray(from, from + PIECE_BYTES);
      from -= part.length;
    }
    return EMPTY;
  }
}

const EMPTY = new Uint8Array();

/** `kept`: the connection stays open for a further request. */
export function writeHead(res: uws.HttpResponse, { status, headers }: Answer, kept: boolean): void {
  res.writeStatus(headBytes(status, headers, kept));
}

interface ExchangeFacts {
  headOnly: boolean;
  /** The client asked for the end of the connection, which the library would keep open. */
  clientCloses: boolean;
  /** See forwardedOf. */
  forwarded: string;
}

/**
 * One request and its response. Its owner passes on what the library tells: data and the abort. `#done` is set once the
 * response may no longer be touched: sent whole, or aborted.
 */
export class UwsExchange implements Timed, Caller {
  deadline = 0;
  readonly #res: uws.HttpResponse;
  readonly #facts: ExchangeFacts;
  readonly #shared: Exchanges;
  #wanted: BodyRequest | undefined;
  #body: BodyCollector | undefined;
  #onExpiry: () => void = () => undefined;
  #held = 0;
  /** What is being sent, until it is freed. */
  #sent: Answer | undefined;
  #done = false;
  /** Made when somebody asks for its signal. */
  #gone: AbortController | undefined;
  #aborted = false;

  /** The exchange counts as in flight already. */
  constructor(res: uws.HttpResponse, facts: ExchangeFacts, shared: Exchanges) {
    this.#res = res;
    this.#facts = facts;
    this.#shared = shared;
  }

  /**
   * Answers a request in a later turn. `head` has to outlive the request's own object, `body` is a copy. The library
   * closes the connection when another request comes by it before.
   */
  postpone(head: RequestHead, body: Uint8Array): void {
    this.#shared.share.wait(() => {
      if (!this.#done) this.start(head, body);
    });
  }

  #inTurn(answer: () => void): void {
    const { share, application } = this.#shared;
    if (share.take()) answer();
    else {
      share.wait(() => {
        if (this.#done) return;
        try {
          answer();
        } catch (error) {
          this.#send(application.failed(error), false);
        }
      });
    }
  }

  /** Answers a request without a body in this turn or, when it has had its share, in a later one. */
  startEmpty(head: RequestHead): void {
    const { application } = this.#shared;
    try {
      const outcome = application.receive(head);
      this.#inTurn(() => this.settle(isBodyRequest(outcome) ? outcome.answer(EMPTY) : outcome));
    } catch (error) {
      this.#send(application.failed(error), false);
    }
  }

  /**
   * Answers a request. `body` is what has come of its body: all of it, or undefined when it is still to come by `data`.
   */
  start(head: RequestHead, body: Uint8Array | undefined): void {
    const { application, options, deadlines } = this.#shared;
    try {
      const outcome = application.receive(head);
      if (!isBodyRequest(outcome)) this.settle(outcome);
      else if (body !== undefined) {
        if (body.length > outcome.maxBytes) this.#send(outcome.tooLarge(), true);
        else this.settle(outcome.answer(body));
      } else {
        this.#wanted = outcome;
        this.#body = new BodyCollector(outcome.maxBytes);
        this.#onExpiry = () => this.refuse(outcome.timedOut());
        deadlines.set(this, options.requestTimeoutMs);
      }
    } catch (error) {
      this.#send(application.failed(error), false);
    }
  }

  /** A piece of the body, valid during the call only. */
  data(chunk: ArrayBuffer, isLast: boolean): void {
    const [wanted, body] = [this.#wanted, this.#body];
    if (this.#done || wanted === undefined || body === undefined) return;
    body.pushCopy(new Uint8Array(chunk));
    if (isLast ? body.tooLarge : body.hopeless) this.refuse(wanted.tooLarge());
    else if (isLast) {
      this.#wanted = undefined;
      this.#shared.deadlines.clear(this);
      this.#inTurn(() => this.#answerBody(wanted, body));
    }
  }

  #answerBody(wanted: BodyRequest, body: BodyCollector): void {
    try {
      const bytes = body.take();
      this.settle(wanted.answer(bytes));
      detachBuffer(bytes);
    } catch (error) {
      this.#send(this.#shared.application.failed(error), false);
    }
  }

  /** Refuses in front of a body or in the middle of it. */
  refuse(answer: Answer): void {
    this.#wanted = undefined;
    this.#send(answer, true);
  }

  settle(answer: Answer | Promise<Answer>): void {
    if (answer instanceof Promise) {
      answer
        .then((settled) => this.#send(settled, false))
        .catch((error: unknown) => this.#send(this.#shared.application.failed(error), false));
    } else this.#send(answer, false);
  }

  /** Whether the connection ends with the answer. */
  get #closes(): boolean {
    return this.#facts.clientCloses || this.#shared.drain.closing || this.#shared.idle.crowded;
  }

  #send(given: Answer, cutOff: boolean): void {
    if (this.#done) return;
    const { budget, deadlines } = this.#shared;
    deadlines.clear(this);
    const bytes = bodyBytes(given);
    const fits = this.#facts.headOnly || budget.take(bytes);
    const answer = fits ? given : TOO_MANY_ANSWERS;
    if (fits && !this.#facts.headOnly) this.#held = bytes;
    const close = cutOff || !fits || this.#closes;
    this.#sent = answer;
    const { body = EMPTY, end } = answer;
    const length = bodyBytes(answer);
    const res = this.#res;
    res.cork(() => {
      writeHead(res, answer, !close);
      if (this.#facts.headOnly) res.endWithoutBody(length, close);
      // The library drops a connection that ends, so what it still buffers for it is bounded.
      else if (length === 0 || (close && end === undefined && length <= WHOLE_ANSWER_BYTES)) res.end(body, close);
      else return this.#sendPiecewise(answer);
      this.finish();
    });
  }

  /**
   * Keeps the body here instead of in the library's send buffer, which has no bound: a client that stops reading can be
   * told apart, and one that pipelines requests without reading is cut off by the library at the next one. The library
   * cannot close the connection behind such an answer: that is left to the next one, or to the end of the listener.
   */
  #sendPiecewise(answer: Answer): void {
    const [ok, complete] = this.#write(new Body(answer), 0);
    if (complete) this.finish();
    else this.#sendRest(answer, ok);
  }

  /** What one turn writes: whether the kernel took it, and whether that was all. */
  #write(body: Body, from: number): [ok: boolean, complete: boolean] {
    const end = from + PIECE_BYTES;
    for (let at = from; ; ) {
      const piece = body.piece(at);
      const [ok, complete] = this.#res.tryEnd(piece, body.length);
      at += piece.length;
      if (complete || !ok || at >= end) return [ok, complete];
    }
  }

  /** `ok`: the kernel has taken the last piece, so the next one is for this side to send. */
  #sendRest(answer: Answer, ok: boolean): void {
    const { deadlines, options, turns } = this.#shared;
    this.#sent = kept(answer);
    const body = new Body(this.#sent);
    const res = this.#res;
    this.#onExpiry = () => void res.close();
    deadlines.set(this, options.stallTimeoutMs);
    /** The offset counts the bytes of the body. Gives whether the kernel took the piece whole. */
    const write = (offset: number): boolean => {
      const [taken, complete] = this.#write(body, offset);
      if (complete) this.finish();
      else {
        deadlines.set(this, options.stallTimeoutMs);
        if (taken) turns.take(inTurn);
      }
      return taken;
    };
    const inTurn = (): void => {
      if (!this.#done) res.cork(() => void write(res.getWriteOffset()));
    };
    res.onWritable(write);
    if (ok) turns.take(inTurn);
  }

  /** Takes over an answer whose head is written and whose body the kernel did not take whole. */
  goOn(answer: Answer): void {
    const bytes = bodyBytes(answer);
    if (!this.#shared.budget.take(bytes)) return void this.#res.close();
    this.#held = bytes;
    this.#sendRest(answer, false);
  }

  expired(): void {
    this.#onExpiry();
  }

  client(): string {
    return this.#done ? "" : clientOf(this.#res, this.#shared.options.proxies, this.#facts.forwarded);
  }

  signal(): AbortSignal {
    this.#gone ??= new AbortController();
    if (this.#aborted) this.#gone.abort();
    return this.#gone.signal;
  }

  /** The client is gone. */
  aborted(): void {
    if (this.#done) return;
    this.finish();
    this.#aborted = true;
    this.#gone?.abort();
  }

  /** The response is over: the client is gone, or has all of it. */
  finish(): void {
    if (this.#done) return;
    this.#done = true;
    this.#shared.budget.release(this.#held);
    this.#shared.deadlines.clear(this);
    this.#shared.drain.leave();
    if (this.#sent !== undefined) release(this.#sent);
    this.#sent = undefined;
  }
}
