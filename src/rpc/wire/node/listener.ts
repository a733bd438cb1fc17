import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, ListenOptions, Socket } from "node:net";
import { bodyBytes, kept } from "../../calls/answer-sink.ts";
import { OpenConnections } from "../../limits/open-connections.ts";
import { TurnShare } from "../../limits/turn-share.ts";
import {
  type Answer,
  type BodyRequest,
  DEFAULT_GRACE_MS,
  type HttpApplication,
  isBodyRequest,
  ListenError,
  type Listener,
  type ListenerOptions,
  type RequestHead,
} from "../listener.ts";
import { originForm } from "../origin-form.ts";
import { TOO_MANY_ANSWERS, TOO_MANY_CONNECTIONS, UNCERTAIN_LENGTH } from "../refusals.ts";
import { BodyCollector } from "../request-body.ts";
import type { TrustedProxies } from "../trusted-proxies.ts";
import { capConnections } from "./connection-cap.ts";
import { routeWebSockets } from "./web-socket.ts";

const KEEP_ALIVE_MS = 5_000;
/** Requests of one connection that may wait for their answers; with a further one it is closed. */
const MAX_PIPELINED = 32;

/** Listener on node:http, for platforms without a native binary. Throws a ListenError. */
export async function listenWithNode(application: HttpApplication, options: ListenerOptions): Promise<Listener> {
  const server = createServer({
    keepAliveTimeout: options.keepAliveTimeoutMs ?? KEEP_ALIVE_MS,
    headersTimeout: options.requestTimeoutMs,
    // Bodies have their own timer, so that they get an answer; this one is the backstop.
    requestTimeout: options.requestTimeoutMs + 5_000,
    connectionsCheckingInterval: Math.min(1_000, options.requestTimeoutMs),
  });
  const state: ListenerState = { closing: false, share: new TurnShare() };
  const overCap = capConnections(
    server,
    {
      max: options.maxConnections ?? 0,
      perClient: options.maxConnectionsPerClient ?? 0,
      proxies: options.proxies,
    },
    options.connections ?? new OpenConnections(),
  );
  const unanswered = new WeakMap<Socket, number>();
  /** What follows on these connections may be part of a body. */
  const refused = new WeakSet<Socket>();
  server.on("request", (req, res) => {
    const { socket } = req;
    if (socket.destroyed || refused.has(socket)) return;
    const pipelined = (unanswered.get(socket) ?? 0) + 1;
    if (pipelined > MAX_PIPELINED) return void socket.destroy();
    unanswered.set(socket, pipelined);
    res.once("close", () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    const exchange = new NodeExchange(req, res, options, state);
    if (overCap(socket)) exchange.refuse(TOO_MANY_CONNECTIONS);
    else if (req.method === "OPTIONS" && req.url === "*") exchange.settleWith(application, SERVER_OPTIONS);
    else if (!hasCertainLength(req)) {
      refused.add(socket);
      exchange.refuse(UNCERTAIN_LENGTH);
    } else exchange.start(application);
  });
  const { webSocket } = options;
  const cutSockets =
    webSocket &&
    routeWebSockets(server, webSocket, {
      head: (req) => headOf(req, options.proxies, () => new AbortController().signal),
      refusal: ({ socket }) => (overCap(socket) ? TOO_MANY_CONNECTIONS : undefined),
      failed: (error) => application.failed(error),
    });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) =>
      reject(new ListenError(options.host, options.port, cause.code, { cause })),
    );
    const { host, port, shared = false } = options;
    server.listen({ host, port, reusePort: shared } as ListenOptions, resolve);
  });
  return {
    adapter: "node:http",
    port: (server.address() as AddressInfo).port,
    async close(graceMs = DEFAULT_GRACE_MS) {
      state.closing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      webSocket?.close();
      const timer = setTimeout(() => {
        server.closeAllConnections();
        cutSockets?.();
      }, graceMs);
      await closed;
      cutSockets?.();
      clearTimeout(timer);
    },
    abandon() {
      state.closing = true;
      server.close();
      server.closeAllConnections();
      cutSockets?.();
    },
  };
}

/** To `OPTIONS *`, which asks about the server as a whole (RFC 9110 section 9.3.7). */
const SERVER_OPTIONS: Answer = { status: 204, headers: [["Allow", "GET, HEAD, POST, OPTIONS"]] };

function headOf(req: IncomingMessage, proxies: TrustedProxies | undefined, signal: () => AbortSignal): RequestHead {
  const url = originForm(req.url ?? "/");
  const query = url.indexOf("?");
  return {
    method: req.method ?? "",
    path: query < 0 ? url : url.slice(0, query),
    query: query < 0 ? "" : url.slice(query + 1),
    header(name) {
      const value = req.headers[name];
      return Array.isArray(value) ? value.join(", ") : (value ?? "");
    },
    client() {
      const peer = req.socket.remoteAddress ?? "";
      // Several lines are joined already.
      return proxies?.clientOf({ peer, proxied: "", forwarded: String(req.headers[proxies.header] ?? "") }) ?? peer;
    },
    signal,
  };
}

/** The parser refuses all else that leaves a request's length open, but takes a coding in front of chunked. */
function hasCertainLength({ headers }: IncomingMessage): boolean {
  const coding = headers["transfer-encoding"];
  return coding === undefined || coding.toLowerCase() === "chunked";
}

/** What the exchanges of one listener share. */
interface ListenerState {
  closing: boolean;
  readonly share: TurnShare;
}

class NodeExchange {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #options: ListenerOptions;
  readonly #listener: Readonly<ListenerState>;
  #timer: NodeJS.Timeout | undefined;

  constructor(req: IncomingMessage, res: ServerResponse, options: ListenerOptions, listener: Readonly<ListenerState>) {
    this.#listener = listener;
    this.#req = req;
    this.#res = res;
    this.#options = options;
  }

  /** Answers whatever was asked, without reading the body, and closes the connection. */
  refuse(answer: Answer): void {
    this.#watch();
    this.#req.resume();
    this.#send(answer, true);
  }

  /** Aborted when the connection closes before the answer has been handed over. */
  #signal(): AbortSignal {
    const gone = new AbortController();
    if (this.#res.destroyed) gone.abort();
    this.#res.on("close", () => {
      if (!this.#res.writableEnded) gone.abort();
    });
    return gone.signal;
  }

  #watch(): void {
    this.#req.on("error", () => undefined);
    this.#res.on("error", () => undefined);
    this.#res.on("close", () => clearTimeout(this.#timer));
  }

  /** Answers without asking the application; a body is not looked at. */
  settleWith(application: HttpApplication, answer: Answer): void {
    this.#watch();
    this.#req.resume();
    this.#settle(application, answer);
  }

  start(application: HttpApplication): void {
    const req = this.#req;
    this.#watch();
    try {
      const outcome = application.receive(headOf(req, this.#options.proxies, () => this.#signal()));
      if (isBodyRequest(outcome)) this.#readBody(application, outcome);
      else {
        req.resume();
        this.#settle(application, outcome);
      }
    } catch (error) {
      this.#send(application.failed(error), false);
    }
  }

  #readBody(application: HttpApplication, wanted: BodyRequest): void {
    const body = new BodyCollector(wanted.maxBytes);
    let answered = false;
    const refuse = (answer: Answer) => {
      if (answered) return;
      answered = true;
      this.#send(answer, true);
    };
    this.#timer = setTimeout(() => refuse(wanted.timedOut()), this.#options.requestTimeoutMs);
    this.#req.on("data", (chunk: Uint8Array) => {
      if (answered) return;
      body.push(chunk);
      if (body.hopeless) refuse(wanted.tooLarge());
    });
    this.#req.on("end", () => {
      if (answered) return;
      if (body.tooLarge) return refuse(wanted.tooLarge());
      answered = true;
      clearTimeout(this.#timer);
      const { share } = this.#listener;
      const answer = (): void => this.#answerBody(application, wanted, body);
      if (share.take()) answer();
      else share.wait(answer);
    });
  }

  #answerBody(application: HttpApplication, wanted: BodyRequest, body: BodyCollector): void {
    if (this.#res.destroyed) return;
    try {
      this.#settle(application, wanted.answer(body.take()));
    } catch (error) {
      this.#send(application.failed(error), false);
    }
  }

  #settle(application: HttpApplication, answer: Answer | Promise<Answer>): void {
    if (answer instanceof Promise) {
      answer
        .then((settled) => this.#send(settled, false))
        .catch((error: unknown) => this.#send(application.failed(error), false));
    } else this.#send(answer, false);
  }

  #send(given: Answer, cutsOff: boolean): void {
    const res = this.#res;
    if (res.destroyed || res.headersSent) return;
    clearTimeout(this.#timer);
    const { budget } = this.#options;
    const bytes = this.#req.method === "HEAD" ? 0 : bodyBytes(given);
    const fits = budget?.take(bytes) ?? true;
    if (fits) res.once("close", () => budget?.release(bytes));
    const answer = fits ? kept(given) : TOO_MANY_ANSWERS;
    const { status, headers, body, end } = answer;
    const cutOff = cutsOff || !fits;
    res.statusCode = status;
    for (const [name, value] of headers) res.setHeader(name, value);
    if (status !== 204) res.setHeader("Content-Length", bodyBytes(answer));
    if (cutOff || this.#listener.closing) res.setHeader("Connection", "close");
    if (cutOff) {
      // The client is still sending: nothing that follows on this connection could be told apart from the body.
      res.on("finish", () => this.#req.socket.destroySoon());
    }
    res.setTimeout(this.#options.stallTimeoutMs, () => this.#req.socket.destroy());
    res.on("finish", () => res.setTimeout(0));
    if (this.#req.method === "HEAD") return void res.end();
    if (end !== undefined) res.write(body);
    res.end(end ?? body);
  }
}
