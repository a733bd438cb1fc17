import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import {
  type Answer,
  DEFAULT_GRACE_MS,
  type HttpApplication,
  type RequestHead,
  type WebSocketApplication,
} from "./listener.ts";
import { type ServerSocket, TEXT_ONLY } from "./web-socket.ts";

/** Pings in the time after which a silent client is cut off. */
const PINGS = 2;

export interface NodeSockets {
  head(req: IncomingMessage): RequestHead;
  /** Of a connection over the cap. */
  refusal(req: IncomingMessage): Answer | undefined;
  failed: HttpApplication["failed"];
}

/** Serves WebSockets at the root path of a node:http server. Returns what cuts all of them off. */
export function routeWebSockets(
  server: Server,
  application: WebSocketApplication,
  { head, refusal, failed }: NodeSockets,
): () => void {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: application.maxMessageBytes,
    perMessageDeflate: false,
    clientTracking: false,
    // Texts are parsed as JSON, which has its own checks.
    skipUTF8Validation: true,
  });
  const open = new Map<WebSocket, { answered: boolean }>();
  const pings = setInterval(() => {
    for (const [ws, state] of open) {
      if (!state.answered) ws.terminate();
      else ws.ping();
      state.answered = false;
    }
  }, application.idleTimeoutMs / PINGS).unref();
  server.on("upgrade", (req: IncomingMessage, connection: Duplex, first: Buffer) => {
    connection.on("error", () => undefined);
    let outcome: ReturnType<WebSocketApplication["accept"]>;
    try {
      const asked = head(req);
      outcome = refusal(req) ?? (asked.path === "/" ? application.accept(asked) : NOT_FOUND);
    } catch (error) {
      outcome = failed(error);
    }
    if (typeof outcome !== "function") return refuse(connection, outcome);
    const accepted = outcome;
    sockets.handleUpgrade(req, connection, first, (ws) => {
      const state = { answered: true };
      open.set(ws, state);
      const socket = new NodeSocket(ws, () => handlers.drained());
      const handlers = accepted(socket);
      const alive = (): void => {
        state.answered = true;
      };
      ws.on("pong", alive);
      ws.on("message", (data: Buffer, isBinary: boolean) => {
        alive();
        if (isBinary) socket.end(TEXT_ONLY, "messages are text");
        else handlers.message(data);
      });
      // What follows is the end of the connection.
      ws.on("error", () => undefined);
      ws.on("close", () => {
        open.delete(ws);
        handlers.closed();
      });
    });
  });
  return () => {
    clearInterval(pings);
    for (const ws of open.keys()) ws.terminate();
  };
}

const NOT_FOUND: Answer = {
  status: 404,
  headers: [["Content-Type", "text/plain; charset=utf-8"]],
  body: Buffer.from("Not Found"),
};

function refuse(connection: Duplex, { status, headers, body }: Answer): void {
  const lines = [
    `HTTP/1.1 ${status} Refused`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${body?.length ?? 0}`,
    "Connection: close",
  ];
  connection.end(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), body ?? new Uint8Array()]));
}

class NodeSocket implements ServerSocket {
  readonly #ws: WebSocket;
  readonly #sent: () => void;

  constructor(ws: WebSocket, drained: () => void) {
    this.#ws = ws;
    this.#sent = () => {
      if (ws.readyState === ws.OPEN) drained();
    };
  }

  get buffered(): number {
    return this.#ws.bufferedAmount;
  }

  send(text: Uint8Array): void {
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    this.#ws.send(text, { binary: false }, this.#sent);
  }

  give(text: Uint8Array): void {
    this.send(text);
  }

  together(sends: () => void): void {
    sends();
  }

  end(code: number, reason: string): void {
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    this.#ws.close(code, reason);
    const cut = setTimeout(() => this.#ws.terminate(), DEFAULT_GRACE_MS);
    this.#ws.once("close", () => clearTimeout(cut));
  }
}
