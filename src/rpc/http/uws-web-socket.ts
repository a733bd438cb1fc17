import type * as types from "uWebSockets.js";
import { detachBuffer } from "../detach-buffer.ts";
import { DEFAULT_GRACE_MS, type HttpApplication, type WebSocketApplication } from "./listener.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";
import { clientOf, forwardedOf } from "./uws-client.ts";
import { writeHead } from "./uws-exchange.ts";
import { type ServerSocket, type SocketHandlers, TEXT_ONLY } from "./web-socket.ts";

/** The library's timeouts are whole seconds in steps of four, from 8 to 960. */
const IDLE_STEP_S = 4;
const LEAST_IDLE_S = 8;
const MOST_IDLE_S = 960;

/** Of an open connection; `socket` and `handlers` are set when it opens. */
interface SocketState {
  open(socket: ServerSocket): SocketHandlers;
  socket?: UwsSocket;
  handlers?: SocketHandlers;
}

export interface UwsSockets {
  proxies: TrustedProxies | undefined;
  /** Called with each request to open one, before its response becomes a socket. */
  upgrading(res: types.HttpResponse): void;
  /** The library does not report the end of a connection that became a socket as it does that of others. */
  closed(): void;
}

/** Serves WebSockets at the root path. Other requests there go on to the next route. */
export function routeWebSockets(
  app: types.TemplatedApp,
  application: WebSocketApplication,
  failed: HttpApplication["failed"],
  sockets: UwsSockets,
): void {
  const seconds = Math.ceil(application.idleTimeoutMs / 1000 / IDLE_STEP_S) * IDLE_STEP_S;
  app.ws<SocketState>("/", {
    maxPayloadLength: application.maxMessageBytes,
    idleTimeout: Math.min(MOST_IDLE_S, Math.max(LEAST_IDLE_S, seconds)),
    sendPingsAutomatically: true,
    // The application bounds what waits; the library would drop messages without a word.
    maxBackpressure: 0,
    upgrade(res, req, context) {
      sockets.upgrading(res);
      upgrade({ res, req, context }, application, failed, sockets.proxies);
    },
    open(ws) {
      const state = ws.getUserData();
      state.socket = new UwsSocket(ws);
      state.handlers = state.open(state.socket);
    },
    message(ws, message, isBinary) {
      const { socket, handlers } = ws.getUserData();
      if (isBinary) socket?.end(TEXT_ONLY, "messages are text");
      else handlers?.message(new Uint8Array(message));
    },
    drain(ws) {
      const { socket, handlers } = ws.getUserData();
      socket?.drained();
      handlers?.drained();
    },
    close(ws) {
      const { socket, handlers } = ws.getUserData();
      sockets.closed();
      socket?.closed();
      handlers?.closed();
    },
  });
}

function upgrade(
  { res, req, context }: { res: types.HttpResponse; req: types.HttpRequest; context: types.us_socket_context_t },
  application: WebSocketApplication,
  failed: HttpApplication["failed"],
  proxies: TrustedProxies | undefined,
): void {
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
    res.upgrade<SocketState>({ open: outcome }, key, protocol, extensions, context);
    return;
  }
  const refusal = outcome;
  res.cork(() => {
    writeHead(res, refusal);
    res.end(refusal.body, true);
  });
}

class UwsSocket implements ServerSocket {
  /** undefined once closed: the library throws when it is used then. */
  #ws: types.WebSocket<SocketState> | undefined;
  /** The close frame that waits until the client has read the rest. */
  #ending: { code: number; reason: string; cut: NodeJS.Timeout } | undefined;

  constructor(ws: types.WebSocket<SocketState>) {
    this.#ws = ws;
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
    else this.#ending = { code, reason, cut: setTimeout(() => this.#ws?.close(), DEFAULT_GRACE_MS) };
  }
}
