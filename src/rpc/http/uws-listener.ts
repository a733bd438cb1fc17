import * as uws from "uWebSockets.js";
import { STATUS_CODES } from "node:http";
import { BodyCollector } from "./body-collector.ts";
import { TOO_MANY_CONNECTIONS } from "./connection-refusal.ts";
import {
  type Answer,
  type BodyRequest,
  DEFAULT_GRACE_MS,
  type HttpApplication,
  isBodyRequest,
  ListenError,
  type Listener,
  type ListenerOptions,
} from "./listener.ts";
import { OpenConnections } from "./open-connections.ts";

/** Answers up to this size are handed over whole; longer ones are written as the client takes them. */
const WHOLE_ANSWER_BYTES = 64 * 1024;

/** Exports that the type declarations leave out. */
const native = uws as unknown as { _cfg(setting: "silent"): void; LIBUS_LISTEN_EXCLUSIVE_PORT: number };

// The library's mark on every response says nothing to a client.
native._cfg("silent");

/**
 * Listener on uWebSockets.js. The library itself cuts off connections that are idle or that send a head or body too slowly
 * (about 10 s, in steps of 4 s), refuses HTTP/1.0, and closes a connection that pipelines behind a request still being answered.
 * Throws a ListenError.
 */
export async function listenWithUws(application: HttpApplication, options: ListenerOptions): Promise<Listener> {
  const app = uws.App();
  const drain = new Drain();
  const { maxConnections = 0 } = options;
  if (maxConnections > 0) capConnections(app, maxConnections, options.connections ?? new OpenConnections());
  app.any("/*", (res, req) => new UwsExchange(res, req, drain, options).start(application, req));

  const socket = await new Promise<uws.us_listen_socket | false>((resolve) => {
    // An exclusive port unless told otherwise: by default two processes may share one, and each would get half of the requests.
    const listen = app.listen as (...args: unknown[]) => void;
    const address = options.host === undefined ? [options.port] : [options.host, options.port];
    listen.call(app, ...address, options.shared ? 0 : native.LIBUS_LISTEN_EXCLUSIVE_PORT, resolve);
  });
  if (socket === false) throw new ListenError(options.host, options.port);
  let open = true;
  const closeAll = (): void => {
    if (open) app.close();
    open = false;
  };
  return {
    adapter: "uWebSockets.js",
    port: uws.us_socket_local_port(socket as unknown as uws.us_socket),
    async close(graceMs = DEFAULT_GRACE_MS) {
      if (drain.closing) return;
      uws.us_listen_socket_close(socket);
      await drain.finish(graceMs);
      closeAll();
    },
    abandon() {
      if (!drain.closing) uws.us_listen_socket_close(socket);
      drain.closing = true;
      closeAll();
    },
  };
}

/** The library tells of connections as they open and close, by +1 and -1, but ties no request to one of them. */
function capConnections(app: uws.TemplatedApp, max: number, open: OpenConnections): void {
  const count = (res: uws.HttpResponse, change: number): void => {
    if (change < 0) open.closed();
    else if (open.opened() > max) refuse(res);
  };
  const refuse = (res: uws.HttpResponse): void => {
    res.cork(() => {
      writeHead(res, TOO_MANY_CONNECTIONS);
      res.end(TOO_MANY_CONNECTIONS.body, true);
    });
  };
  app.filter(count);
}

function writeHead(res: uws.HttpResponse, { status, headers }: Answer): void {
  res.writeStatus(`${status} ${STATUS_CODES[status] ?? ""}`);
  for (const [name, value] of headers) res.writeHeader(name, value);
}

/** Requests in flight, and the wish that there be none. */
class Drain {
  closing = false;
  #inFlight = 0;
  #empty: (() => void) | undefined;

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

/** One request and its response. `#done` is set once the response may no longer be touched: sent whole, or aborted. */
class UwsExchange {
  readonly #res: uws.HttpResponse;
  readonly #headOnly: boolean;
  /** The library keeps the connection open whatever the client asks for. */
  readonly #clientCloses: boolean;
  readonly #drain: Drain;
  readonly #options: ListenerOptions;
  #done = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(res: uws.HttpResponse, req: uws.HttpRequest, drain: Drain, options: ListenerOptions) {
    this.#res = res;
    this.#headOnly = req.getCaseSensitiveMethod() === "HEAD";
    this.#clientCloses = req.getHeader("connection").toLowerCase() === "close";
    this.#drain = drain;
    this.#options = options;
  }

  start(application: HttpApplication, req: uws.HttpRequest): void {
    this.#drain.enter();
    this.#res.onAborted(() => this.#finish());
    try {
      const outcome = application.receive({
        method: req.getCaseSensitiveMethod(),
        path: req.getUrl(),
        header: (name) => req.getHeader(name),
        client: () => Buffer.from(this.#res.getRemoteAddressAsText()).toString("latin1"),
      });
      if (!isBodyRequest(outcome)) this.#settle(application, outcome);
      // The library never reports the end of an empty body whose head came in pieces.
      else if (!hasBody(req)) this.#settle(application, outcome.answer(new Uint8Array()));
      else this.#readBody(application, outcome);
    } catch (error) {
      this.#send(application.failed(error), false);
    }
  }

  #readBody(application: HttpApplication, wanted: BodyRequest): void {
    const body = new BodyCollector(wanted.maxBytes);
    let answered = false;
    const refuse = (answer: Answer) => {
      answered = true;
      this.#send(answer, true);
    };
    this.#timer = setTimeout(() => refuse(wanted.timedOut()), this.#options.requestTimeoutMs);
    this.#res.onData((chunk, isLast) => {
      if (this.#done || answered) return;
      body.pushCopy(new Uint8Array(chunk));
      if (isLast ? body.tooLarge : body.hopeless) return refuse(wanted.tooLarge());
      if (!isLast) return;
      answered = true;
      clearTimeout(this.#timer);
      try {
        this.#settle(application, wanted.answer(body.take()));
      } catch (error) {
        this.#send(application.failed(error), false);
      }
    });
  }

  #settle(application: HttpApplication, answer: Answer | Promise<Answer>): void {
    if (answer instanceof Promise) {
      answer
        .then((settled) => this.#send(settled, false))
        .catch((error: unknown) => this.#send(application.failed(error), false));
    } else this.#send(answer, false);
  }

  #send(answer: Answer, cutOff: boolean): void {
    if (this.#done) return;
    clearTimeout(this.#timer);
    const close = cutOff || this.#clientCloses || this.#drain.closing;
    const { body } = answer;
    const res = this.#res;
    res.cork(() => {
      writeHead(res, answer);
      if (this.#headOnly) res.endWithoutBody(body?.length ?? 0, close);
      else if (body === undefined || body.length <= WHOLE_ANSWER_BYTES) res.end(body ?? "", close);
      else return this.#sendPiecewise(body, close);
      this.#finish();
    });
  }

  /** Keeps the body here instead of in the library's send buffer, so that a client that stops reading can be told apart. */
  #sendPiecewise(body: Uint8Array, close: boolean): void {
    const res = this.#res;
    const start = res.getWriteOffset();
    const write = (offset: number): boolean => {
      clearTimeout(this.#timer);
      const [ok, complete] = res.tryEnd(body.subarray(offset - start), body.length);
      if (complete) {
        this.#finish();
        // The whole body is with the kernel; closing now still delivers it.
        if (close) res.close();
      } else this.#timer = setTimeout(() => res.close(), this.#options.stallTimeoutMs);
      return ok;
    };
    res.onWritable(write);
    write(start);
  }

  #finish(): void {
    if (this.#done) return;
    this.#done = true;
    clearTimeout(this.#timer);
    this.#drain.leave();
  }
}

function hasBody(req: uws.HttpRequest): boolean {
  return req.getHeader("transfer-encoding") !== "" || !["", "0"].includes(req.getHeader("content-length"));
}
