import type * as uws from "uWebSockets.js";
import { bodyBytes } from "../../calls/answer-sink.ts";
import { MIN_BLOCK_HEADER } from "../../calls/consistency.ts";
import type { Caller } from "../../ports/caller.ts";
import type { Answer, PlainPost, RequestHead } from "../listener.ts";
import { isJsonType } from "../request-body.ts";
import { headBytes } from "./answer-head.ts";
import { clientOf, forwardedOf } from "./client.ts";
import { type Exchanges, UwsExchange } from "./exchange.ts";

/**
 * Answers shorter than this are handed to the library, which keeps what the kernel does not take. So that a client that
 * pipelines without reading cannot make it keep ever more, one in PROBED_IN, chosen at random, is sent only as far as
 * the kernel takes it: once that happens the library cuts such a client off. Asking so about each answer would cost
 * about 7 % of a small call.
 */
const SHORT_ANSWER = 4096;
const PROBED_IN = 16;
const MAX_BYTES_AT_ONCE = 16 * 1024;
const NO_BODY = new Uint8Array();
let random = 0x9e3779b9;

/** One step of a 32-bit xorshift generator. */
function isProbed(): boolean {
  random ^= random << 13;
  random ^= random >>> 17;
  random ^= random << 5;
  return (random & (PROBED_IN - 1)) === 0;
}

/** What a request with a plain POST's head says; empty where it says nothing. Each header's first line counts. */
interface PlainHeaders {
  /** Content-Type. */
  readonly type: string;
  readonly acceptEncoding: string;
  /** MIN_BLOCK_HEADER. */
  readonly minBlock: string;
}

/**
 * Reads the heads of plain POSTs in one pass: with each look-up of a header by itself, a small call costs about a tenth
 * more.
 */
class PlainHeads {
  readonly #notPlain: ReadonlySet<string>;
  /** Lengths of those names, a bit each. */
  readonly #lengths: number;
  #isPlain = true;
  #lengthLines = 0;
  #type = "";
  #acceptEncoding = "";
  #minBlock = "";

  /** `notPlain`: lower-case names of headers with which a request is no plain POST. */
  constructor(notPlain: readonly string[]) {
    this.#notPlain = new Set([...notPlain, "content-encoding", "transfer-encoding"]);
    this.#lengths = [...this.#notPlain].reduce((bits, { length }) => bits | (1 << (length % 32)), 0);
  }

  /** One function for all requests: the library calls it for each header, with its name in lower case. */
  readonly #note = (name: string, value: string): void => {
    switch (name) {
      case "content-length":
        this.#lengthLines += 1;
        if (value === "0" || value === "") this.#isPlain = false;
        return;
      case "content-type":
        this.#type ||= value;
        return;
      case "accept-encoding":
        this.#acceptEncoding ||= value;
        return;
      case MIN_BLOCK_HEADER:
        this.#minBlock ||= value;
        return;
      default:
        if (((this.#lengths >> (name.length % 32)) & 1) === 1 && value !== "" && this.#notPlain.has(name))
          this.#isPlain = false;
    }
  };

  /** undefined if the request is no plain POST. A plain POST has exactly one Content-Length. */
  read(req: uws.HttpRequest): PlainHeaders | undefined {
    this.#isPlain = true;
    this.#lengthLines = 0;
    this.#type = "";
    this.#acceptEncoding = "";
    this.#minBlock = "";
    req.forEach(this.#note);
    if (!this.#isPlain || this.#lengthLines !== 1) return undefined;
    const type = this.#type;
    if (type !== "application/json" && !isJsonType(type)) return undefined;
    return { type, acceptEncoding: this.#acceptEncoding, minBlock: this.#minBlock };
  }
}

/** The head of a request whose own object is gone: what reading a JSON body by POST to "/" takes. */
class PlainHead implements RequestHead {
  readonly method = "POST";
  readonly path = "/";
  readonly query = "";
  readonly #headers: PlainHeaders;
  readonly #exchange: UwsExchange;

  constructor(headers: PlainHeaders, exchange: UwsExchange) {
    this.#headers = headers;
    this.#exchange = exchange;
  }

  client(): string {
    return this.#exchange.client();
  }

  signal(): AbortSignal {
    return this.#exchange.signal();
  }

  /** Bound: some readers of a head take this member alone. */
  readonly header = (name: string): string => {
    const { type, acceptEncoding, minBlock } = this.#headers;
    if (name === "content-type") return type;
    if (name === "accept-encoding") return acceptEncoding;
    return name === MIN_BLOCK_HEADER ? minBlock : "";
  };
}

/**
 * One request on the fast path. It becomes an ordinary exchange, which gets all further events, when it cannot be
 * answered at once.
 */
class PlainExchange implements Caller {
  readonly #res: uws.HttpResponse;
  readonly #headers: PlainHeaders;
  /** See forwardedOf. */
  readonly #forwarded: string;
  readonly #route: Route;
  #ordinary: UwsExchange | undefined;

  constructor(res: uws.HttpResponse, headers: PlainHeaders, forwarded: string, route: Route) {
    this.#res = res;
    this.#headers = headers;
    this.#forwarded = forwarded;
    this.#route = route;
  }

  aborted(): void {
    if (this.#ordinary === undefined) this.#route.shared.drain.leave();
    else this.#ordinary.aborted();
  }

  data(chunk: ArrayBuffer, isLast: boolean): void {
    if (this.#ordinary !== undefined) this.#ordinary.data(chunk, isLast);
    else if (isLast) this.#answer(new Uint8Array(chunk));
    else {
      const collecting = this.#becomeOrdinary();
      collecting.start(this.#head(collecting), undefined);
      collecting.data(chunk, false);
    }
  }

  #answer(body: Uint8Array): void {
    const { post, shared } = this.#route;
    if (!shared.share.take()) {
      const waiting = this.#becomeOrdinary();
      waiting.postpone(this.#head(waiting), new Uint8Array(body));
      return;
    }
    if (body.length > post.maxBytes) {
      const ordinary = this.#becomeOrdinary();
      ordinary.start(this.#head(ordinary), body);
      return;
    }
    const answer = post.answer(body, this.#headers, this);
    if (answer instanceof Promise || bodyBytes(answer) > MAX_BYTES_AT_ONCE || this.#ordinary !== undefined) {
      // Room for a long answer has to be asked for before its head is written.
      this.#becomeOrdinary().settle(answer);
    } else this.#send(answer, answer.body ?? NO_BODY);
  }

  #send(answer: Answer, body: Uint8Array): void {
    const { drain, idle } = this.#route.shared;
    const res = this.#res;
    const close = drain.closing || idle.crowded;
    res.writeStatus(headBytes(answer.status, answer.headers, !close));
    if (close || (body.length < SHORT_ANSWER && !isProbed())) res.end(body, close);
    else if (!res.tryEnd(body, body.length)[1]) {
      this.#becomeOrdinary().goOn(answer);
      return;
    }
    drain.leave();
  }

  client(): string {
    if (this.#ordinary !== undefined) return this.#ordinary.client();
    return clientOf(this.#res, this.#route.shared.options.proxies, this.#forwarded);
  }

  /** Who asks is going to wait. */
  signal(): AbortSignal {
    return this.#becomeOrdinary().signal();
  }

  #head(exchange: UwsExchange): PlainHead {
    return new PlainHead(this.#headers, exchange);
  }

  #becomeOrdinary(): UwsExchange {
    this.#ordinary ??= new UwsExchange(
      this.#res,
      { headOnly: false, clientCloses: false, forwarded: this.#forwarded },
      this.#route.shared,
    );
    return this.#ordinary;
  }
}

interface Route {
  readonly post: PlainPost;
  readonly shared: Exchanges;
}

/**
 * Answers plain POSTs to "/" with as few steps as there can be, and gives all others to `otherwise`. A client's wish
 * that its connection be closed is left to the library, which hears it too.
 */
export function routePlainPosts(
  app: uws.TemplatedApp,
  post: PlainPost,
  shared: Exchanges,
  otherwise: (res: uws.HttpResponse, req: uws.HttpRequest) => void,
): void {
  const route = { post, shared };
  const heads = new PlainHeads(shared.application.notPlain ?? []);
  const { proxies } = shared.options;
  app.post("/", (res, req) => {
    shared.idle.asked(res);
    const headers = heads.read(req);
    if (headers === undefined) return otherwise(res, req);
    const exchange = new PlainExchange(res, headers, forwardedOf(req, proxies), route);
    shared.drain.enter();
    res.onAborted(() => exchange.aborted());
    res.onData((chunk, isLast) => exchange.data(chunk, isLast));
  });
}
