import type * as types from "uWebSockets.js";
import type { AnswerBudget } from "../../limits/answer-budget.ts";
import { clientNetwork } from "../../limits/client-address.ts";
import { detachBuffer } from "../../limits/detach-buffer.ts";
import { DEFAULT_GRACE_MS, type HttpApplication, type WebSocketApplication } from "../listener.ts";
import type { TrustedProxies } from "../trusted-proxies.ts";
import {
  LATE_CONTROL_FRAMES,
  POLICY_VIOLATION,
  type ServerSocket,
  type SocketHandlers,
  TEXT_ONLY,
  UNFINISHED,
} from "../web-socket.ts";
import { clientOf, forwardedOf } from "./client.ts";
import { writeHead } from "./exchange.ts";

/** The library's timeouts are whole seconds in steps of four, from 8 to 960. */
const IDLE_STEP_S = 4;
const MIN_IDLE_S = 8;
const MAX_IDLE_S = 960;

/** Messages up to this length may be sent by any client. */
const SHORT_MESSAGE_BYTES = 64 * 1024;
/** Part of the places for longer messages that one client address may have. */
const CLIENT_PART = 1 / 4;
/** What the library says of a message beyond `maxPayloadLength`. */
const TOO_LONG = "Received too big message";

/** Of an open connection; `socket` and `handlers` are set when it opens. */
interface SocketState {
  open(socket: ServerSocket): SocketHandlers;
  /** Gives back the place for long messages. */
  readonly leave: () => void;
  socket?: UwsSocket;
  handlers?: SocketHandlers;
}

interface UwsSockets {
  proxies: TrustedProxies | undefined;
  /** Called with each request to open one, before its response becomes a socket. */
  upgrading(res: types.HttpResponse): void;
  /** The library does not report the end of a connection that became a socket as it does that of others. */
  closed(): void;
}

/**
 * Serves WebSockets at the application's paths. Other requests there go on to the next route. Returns a function that
 * ends what runs beside.
 *
 * The library does not report messages that are not complete. So a socket that may send long messages has its longest
 * counted as unfinished while it is open. When there is no room for that, a new socket may send
 * messages up to SHORT_MESSAGE_BYTES. A message whose frame is not complete in time is noticed by a ping: its answer
 * cannot come in between. (That of a message in several frames can.)
 */
export function routeWebSockets(
  app: types.TemplatedApp,
  application: WebSocketApplication,
  failed: HttpApplication["failed"],
  sockets: UwsSockets,
): () => void {
  const seconds = Math.ceil(application.idleTimeoutMs / 1000 / IDLE_STEP_S) * IDLE_STEP_S;
  const open = new Set<UwsSocket>();
  const places = new LongMessagePlaces(application);
  const behavior = (mayBeLong: boolean): types.WebSocketBehavior<SocketState> => ({
    maxPayloadLength: mayBeLong
      ? application.maxMessageBytes
      : Math.min(SHORT_MESSAGE_BYTES, application.maxMessageBytes),
    idleTimeout: Math.min(MAX_IDLE_S, Math.max(MIN_IDLE_S, seconds)),
    sendPingsAutomatically: true,
    // The application bounds what waits; the library would drop messages without a word.
    maxBackpressure: 0,
    upgrade(res, req, context) {
      if (!application.paths.includes(req.getUrl())) {
        req.setYield(true);
        return;
      }
      const leave = mayBeLong ? places.take(clientOf(res, sockets.proxies, forwardedOf(req, sockets.proxies))) : FREE;
      if (leave === undefined) {
        // To the route for short messages.
        req.setYield(true);
        return;
      }
      sockets.upgrading(res);
      if (!upgrade({ res, req, context }, application, failed, sockets.proxies, leave)) leave();
    },
    open(ws) {
      const state = ws.getUserData();
      state.socket = new UwsSocket(ws, () => state.handlers);
      open.add(state.socket);
      state.handlers = state.open(state.socket);
    },
    message(ws, message, isBinary) {
      const { socket, handlers } = ws.getUserData();
      if (isBinary) socket?.end(TEXT_ONLY, "messages are text");
      else handlers?.message(new Uint8Array(message));
    },
    // The library has answered it already.
    ping: (ws) => ws.getUserData().socket?.control(),
    pong: (ws) => ws.getUserData().socket?.pong(),
    drain(ws) {
      const { socket, handlers } = ws.getUserData();
      socket?.drained();
      handlers?.drained();
    },
    close(ws, _code, message) {
      const { socket, handlers, leave } = ws.getUserData();
      leave();
      sockets.closed();
      if (socket !== undefined) open.delete(socket);
      socket?.closed();
      if (Buffer.from(message).toString("latin1") === TOO_LONG) handlers?.wasCut("too_long", "a message was too long");
      handlers?.closed();
    },
  });
  if (application.maxMessageBytes > SHORT_MESSAGE_BYTES) {
    for (const path of application.paths) app.ws<SocketState>(path, behavior(true));
  }
  // A second route of the same pattern would replace the first.
  app.ws<SocketState>("/*", behavior(false));
  const probes = setInterval(() => {
    for (const socket of open) socket.probe(application.messageTimeoutMs);
  }, application.messageTimeoutMs / 2).unref();
  return () => clearInterval(probes);
}

const FREE = (): void => undefined;

/** Room for messages longer than SHORT_MESSAGE_BYTES, one for a socket. */
class LongMessagePlaces {
  readonly #budget: AnswerBudget;
  readonly #bytes: number;
  readonly #perClient: number;
  readonly #taken = new Map<string, number>();

  constructor({ unfinished, maxMessageBytes }: WebSocketApplication) {
    this.#budget = unfinished;
    this.#bytes = maxMessageBytes;
    this.#perClient = Math.max(1, Math.floor((unfinished.max / maxMessageBytes) * CLIENT_PART));
  }

  /** Returns a function that gives the place back; undefined when none is free. */
  take(address: string): (() => void) | undefined {
    const client = clientNetwork(address);
    const taken = this.#taken.get(client) ?? 0;
    if (taken >= this.#perClient || !this.#budget.take(this.#bytes)) return undefined;
    this.#taken.set(client, taken + 1);
    return () => {
      this.#budget.release(this.#bytes);
      const left = (this.#taken.get(client) ?? 1) - 1;
      if (left > 0) this.#taken.set(client, left);
      else this.#taken.delete(client);
    };
  }
}

/** Whether the request became a socket. */
function upgrade(
  { res, req, context }: { res: types.HttpResponse; req: types.HttpRequest; context: types.us_socket_context_t },
  application: WebSocketApplication,
  failed: HttpApplication["failed"],
  proxies: TrustedProxies | undefined,
  leave: () => void,
): boolean {
  let outcome: ReturnType<WebSocketApplication["accept"]>;
  try {
    outcome = application.accept({
      method: req.getCaseSensitiveMethod(),
      path: req.getUrl(),
      query: req.getQuery() ?? "",
      header: (name) => req.getHeader(name),
      client: () => clientOf(res, proxies, forwardedOf(req, proxies)),
      signal: () => new AbortController().signal,
    });
  } catch (error) {
    outcome = failed(error);
  }
  if (typeof outcome === "function") {
    const [key, protocol, extensions] = ["key", "protocol", "extensions"].map((name) =>
      req.getHeader(`sec-websocket-${name}`),
    );
    res.upgrade<SocketState>({ open: outcome, leave }, key, protocol, extensions, context);
    return true;
  }
  const refusal = outcome;
  res.cork(() => {
    writeHead(res, refusal, false);
    res.end(refusal.body, true);
  });
  return false;
}

class UwsSocket implements ServerSocket {
  /** undefined once closed: the library throws when it is used then. */
  #ws: types.WebSocket<SocketState> | undefined;
  /** The close frame that waits until the client has read the rest. */
  #ending: { code: number; reason: string; cut: NodeJS.Timeout; controls: number } | undefined;
  readonly #handlers: () => SocketHandlers | undefined;
  /** When it was pinged, until it has answered: performance.now(). */
  #pinged: number | undefined;

  constructor(ws: types.WebSocket<SocketState>, handlers: () => SocketHandlers | undefined) {
    this.#ws = ws;
    this.#handlers = handlers;
  }

  /** Pings the client, or ends the connection of one that owes the answer for too long. */
  probe(timeoutMs: number): void {
    // A client that does not read has a limit of its own.
    if (this.#ws === undefined || this.#ending !== undefined || this.buffered > 0) return;
    const now = performance.now();
    if (this.#pinged === undefined) {
      this.#pinged = now;
      this.#ws.ping();
    } else if (now - this.#pinged >= timeoutMs) {
      this.#handlers()?.cut("unfinished", POLICY_VIOLATION, UNFINISHED);
    }
  }

  pong(): void {
    this.#pinged = undefined;
    this.control();
  }

  /** A ping, which the library has answered, or a pong. */
  control(): void {
    this.#handlers()?.control();
    if (this.#ending === undefined) return;
    this.#ending.controls += 1;
    if (this.#ending.controls > LATE_CONTROL_FRAMES) this.#ws?.close();
  }

  closed(): void {
    clearTimeout(this.#ending?.cut);
    this.#ws = undefined;
  }

  drained(): void {
    if (this.#ending === undefined || this.buffered > 0) return;
    const { code, reason } = this.#ending;
    this.#ws?.end(code, reason);
  }

  get buffered(): number {
    return this.#ws?.getBufferedAmount() ?? 0;
  }

  send(text: Uint8Array): void {
    if (this.#ending === undefined) this.#ws?.send(text, false);
  }

  give(text: Uint8Array): void {
    this.send(text);
    // The library has copied what the kernel did not take.
    detachBuffer(text);
  }

  together(sends: () => void): void {
    this.#ws?.cork(sends);
  }

  end(code: number, reason: string): void {
    if (this.#ws === undefined || this.#ending !== undefined) return;
    // The library sends nothing after a close frame, not even what waited before it.
    if (this.buffered === 0) this.#ws.end(code, reason);
    else this.#ending = { code, reason, cut: setTimeout(() => this.#ws?.close(), DEFAULT_GRACE_MS), controls: 0 };
  }
}
