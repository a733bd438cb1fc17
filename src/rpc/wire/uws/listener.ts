import type * as types from "uWebSockets.js";
import { setTimeout as sleep } from "node:timers/promises";
import { bindFault } from "../../../http/bind-fault.ts";
import { AnswerBudget } from "../../limits/answer-budget.ts";
import { ConnectionShare } from "../../limits/connection-share.ts";
import { OpenConnections } from "../../limits/open-connections.ts";
import { TurnShare } from "../../limits/turn-share.ts";
import { Turns } from "../../limits/turns.ts";
import {
  DEFAULT_GRACE_MS,
  type HttpApplication,
  ListenError,
  type Listener,
  type ListenerOptions,
} from "../listener.ts";
import { TOO_MANY_CONNECTIONS, UNCERTAIN_LENGTH } from "../refusals.ts";
import type { TrustedProxies } from "../trusted-proxies.ts";
import { forwardedOf, peerOf } from "./client.ts";
import { Deadlines, Drain, UwsIdleConnections } from "./connection-ends.ts";
import { type Exchanges, UwsExchange, writeHead } from "./exchange.ts";
import { hasCertainLength } from "./framing.ts";
import { uws } from "./library.ts";
import { routePlainPosts } from "./plain-post.ts";
import { routeWebSockets } from "./web-socket.ts";

// The library's mark on every response says nothing to a client.
uws._cfg("silent");

/** Time for clients to take the last answers before all connections are closed, and interval of looks. Milliseconds. */
const LAST_ANSWERS_MS = 500;
const LOOK_MS = 5;

/**
 * Listener on uWebSockets.js. The library itself cuts off connections that are idle or that send a head or body too
 * slowly (about 10 s, in steps of 4 s; a head about 30 s in its version for Node.js 24), refuses HTTP/1.0, and closes a
 * connection that pipelines behind a request still being answered. Throws a ListenError.
 */
export async function listenWithUws(application: HttpApplication, options: ListenerOptions): Promise<Listener> {
  const app = uws.App();
  const drain = new Drain();
  const { maxConnections = 0 } = options;
  let port = 0;
  const idle = new UwsIdleConnections();
  let connected = 0;
  const count = (_: unknown, change: number): void => {
    connected += change;
  };
  app.filter(count);
  const uncap = capConnections(
    app,
    {
      max: maxConnections,
      perClient: options.maxConnectionsPerClient ?? 0,
      proxies: options.proxies,
      port: () => port,
    },
    options.connections ?? new OpenConnections(),
    idle,
  );
  const budget = options.budget ?? new AnswerBudget();
  const shared: Exchanges = {
    application,
    options,
    drain,
    idle,
    deadlines: new Deadlines(),
    budget,
    turns: new Turns(),
    share: new TurnShare(),
  };
  const anyRequest = (res: types.HttpResponse, req: types.HttpRequest): void => serve(res, req, shared);
  let endSockets: (() => void) | undefined;
  if (options.webSocket !== undefined) {
    endSockets = routeWebSockets(app, options.webSocket, (error) => application.failed(error), {
      proxies: options.proxies,
      upgrading: (res) => idle.asked(res),
      closed() {
        connected -= 1;
        uncap();
      },
    });
  }
  if (application.plainPost !== undefined) routePlainPosts(app, application.plainPost, shared, anyRequest);
  app.any("/*", anyRequest);

  const socket = await new Promise<types.us_listen_socket | false>((resolve) => {
    // An exclusive port unless told otherwise: by default two processes may share one, and each would get half of the
    // requests.
    const listen = app.listen as (...args: unknown[]) => void;
    const address = options.host === undefined ? [options.port] : [options.host, options.port];
    listen.call(app, ...address, options.shared ? 0 : uws.LIBUS_LISTEN_EXCLUSIVE_PORT, resolve);
  });
  // The library does not tell why.
  if (socket === false) {
    throw new ListenError(options.host, options.port, await bindFault(options.host, options.port));
  }
  port = uws.us_socket_local_port(socket as unknown as types.us_socket);
  let open = true;
  const closeAll = (): void => {
    endSockets?.();
    if (open) app.close();
    open = false;
  };
  return {
    adapter: "uWebSockets.js",
    port,
    async close(graceMs = DEFAULT_GRACE_MS) {
      if (drain.closing) return;
      uws.us_listen_socket_close(socket);
      options.webSocket?.close();
      const left = connected - drain.inFlight;
      await drain.finish(graceMs);
      // The library resets what is still open, which would take answers from clients that have not read them yet.
      for (const end = performance.now() + LAST_ANSWERS_MS; connected > left && performance.now() < end; ) {
        await sleep(LOOK_MS);
      }
      closeAll();
    },
    abandon() {
      if (!drain.closing) uws.us_listen_socket_close(socket);
      drain.closing = true;
      closeAll();
    },
  };
}

/** When a smaller part of the places is free, no connection is kept open for further requests. */
const FREE_PART = 1 / 4;

interface ConnectionLimits {
  /** Of all clients, and of one client address; 0 for any number. */
  max: number;
  perClient: number;
  /** Whose connections are not counted per client address. */
  proxies: TrustedProxies | undefined;
  port(): number;
}

/**
 * The library reports connections that open and close as +1 and -1, but relates no request to them. A new connection
 * beyond the limit replaces the one that has been idle longest. Returns a function that counts the end of a connection
 * which the library does not report.
 */
function capConnections(
  app: types.TemplatedApp,
  limits: ConnectionLimits,
  open: OpenConnections,
  idle: UwsIdleConnections,
): () => void {
  const { max, perClient, proxies, port } = limits;
  if (max === 0 && perClient === 0) return () => undefined;
  const share = perClient > 0 ? new ConnectionShare({ most: perClient, port }) : undefined;
  const count = (res: types.HttpResponse, change: number): void => {
    if (change < 0) return void closed();
    const total = open.opened();
    idle.crowded = isCrowded(total);
    const peer = share === undefined ? "" : peerOf(res);
    if (share !== undefined && !proxies?.trusts(peer) && !share.admits(peer, total)) refuse(res);
    else if (max > 0 && total > max && !idle.closeLongest()) refuse(res);
    else if (max > 0) idle.opened(res);
  };
  const closed = (): void => {
    open.closed();
    idle.crowded &&= isCrowded(open.total);
  };
  const isCrowded = (total: number): boolean => max - total < Math.floor(max * FREE_PART);
  const refuse = (res: types.HttpResponse): void => {
    res.cork(() => {
      writeHead(res, TOO_MANY_CONNECTIONS, false);
      res.end(TOO_MANY_CONNECTIONS.body, true);
    });
  };
  app.filter(count);
  return closed;
}

function serve(res: types.HttpResponse, req: types.HttpRequest, shared: Exchanges): void {
  const facts = {
    headOnly: req.getCaseSensitiveMethod() === "HEAD",
    clientCloses: req.getHeader("connection").toLowerCase() === "close",
    forwarded: forwardedOf(req, shared.options.proxies),
  };
  shared.idle.asked(res);
  shared.drain.enter();
  const exchange = new UwsExchange(res, facts, shared);
  res.onAborted(() => exchange.aborted());
  const head = {
    method: req.getCaseSensitiveMethod(),
    path: req.getUrl(),
    query: req.getQuery() ?? "",
    header: (name: string) => req.getHeader(name),
    client: () => exchange.client(),
    signal: () => exchange.signal(),
  };
  if (!hasCertainLength(req)) {
    // In a later turn: meanwhile the library closes the connection when it finds a request behind this one.
    shared.share.wait(() => exchange.refuse(UNCERTAIN_LENGTH));
    return;
  }
  // The library never reports the end of an empty body whose head came in pieces.
  if (!hasBody(req)) exchange.startEmpty(head);
  else {
    res.onData((chunk, isLast) => exchange.data(chunk, isLast));
    exchange.start(head, undefined);
  }
}

function hasBody(req: types.HttpRequest): boolean {
  return req.getHeader("transfer-encoding") !== "" || !["", "0"].includes(req.getHeader("content-length"));
}
