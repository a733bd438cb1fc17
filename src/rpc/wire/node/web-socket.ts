import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import {
  type Answer,
  DEFAULT_GRACE_MS,
  type HttpApplication,
  type RequestHead,
  type WebSocketApplication,
} from "../listener.ts";
import {
  LATE_CONTROL_FRAMES,
  POLICY_VIOLATION,
  type ServerSocket,
  type SocketHandlers,
  TEXT_ONLY,
  TRY_AGAIN_LATER,
  UNFINISHED,
} from "../web-socket.ts";

/** Pieces of messages that are not complete yet, of one client: each is an object. */
const MAX_PIECES = 4_096;
/** Pings in the time after which a silent client is cut off. */
const PINGS = 2;

interface NodeSockets {
  head(req: IncomingMessage): RequestHead;
  /** Of a connection over the cap. */
  refusal(req: IncomingMessage): Answer | undefined;
  failed: HttpApplication["failed"];
}

/** Serves the WebSockets of a node:http server. Returns what cuts all of them off. */
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
    maxFragments: MAX_PIECES,
    maxBufferedChunks: MAX_PIECES,
    autoPong: false,
    // Texts are parsed as JSON, which has its own checks.
    skipUTF8Validation: true,
  });
  const open = new Map<WebSocket, { answered: boolean; handlers?: SocketHandlers }>();
  const { unfinished, messageTimeoutMs } = application;
  const messages = new Map<WebSocket, UnfinishedMessage>();
  const pings = setInterval(() => {
    for (const [ws, state] of open) {
      if (!state.answered) ws.terminate();
      else ws.ping();
      state.answered = false;
    }
  }, application.idleTimeoutMs / PINGS).unref();
  const looks = setInterval(() => {
    const oldest = performance.now() - messageTimeoutMs;
    for (const [ws, { since }] of messages) {
      if (since <= oldest) open.get(ws)?.handlers?.cut("unfinished", POLICY_VIOLATION, UNFINISHED);
    }
  }, messageTimeoutMs / 2).unref();
  server.on("upgrade", (req: IncomingMessage, connection: Duplex, first: Buffer) => {
    connection.on("error", () => undefined);
    let outcome: ReturnType<WebSocketApplication["accept"]>;
    try {
      const asked = head(req);
      outcome = refusal(req) ?? (application.paths.includes(asked.path) ? application.accept(asked) : NOT_FOUND);
    } catch (error) {
      outcome = failed(error);
    }
    if (typeof outcome !== "function") return refuse(connection, outcome);
    const accepted = outcome;
    sockets.handleUpgrade(req, connection, first, (ws) => {
      const socket = new NodeSocket(ws, () => handlers.drained());
      const handlers = accepted(socket);
      const state = { answered: true, handlers };
      open.set(ws, state);
      const account = (): void => {
        const known = messages.get(ws);
        const bytes = unfinishedBytes(ws);
        const more = bytes - (known?.bytes ?? 0);
        if (more > 0 && !unfinished.take(more)) {
          handlers.cut("unfinished", TRY_AGAIN_LATER, "the node is busy: too many messages are under way");
          connection.pause();
          return;
        }
        if (more < 0) unfinished.release(-more);
        if (bytes === 0) messages.delete(ws);
        else messages.set(ws, { bytes, since: known?.since ?? performance.now() });
      };
      // Behind the listener of the library, which has parsed the bytes then.
      connection.on("data", account);
      const alive = (): void => {
        state.answered = true;
      };
      let late = 0;
      const control = (): boolean => {
        alive();
        const isServed = handlers.control();
        if (!isServed) late += 1;
        if (late > LATE_CONTROL_FRAMES) ws.terminate();
        return isServed;
      };
      ws.on("ping", (data: Buffer) => {
        if (control()) ws.pong(data);
      });
      ws.on("pong", control);
      ws.on("message", (data: Buffer, isBinary: boolean) => {
        alive();
        // What is left of the bytes is the next message.
        const next = messages.get(ws);
        if (next !== undefined) next.since = performance.now();
        if (isBinary) socket.end(TEXT_ONLY, "messages are text");
        else handlers.message(data);
      });
      // What follows is the end of the connection.
      ws.on("error", ({ message }) => {
        if (message === TOO_LONG) handlers.wasCut("too_long", "a message was too long");
      });
      ws.on("close", () => {
        open.delete(ws);
        unfinished.release(messages.get(ws)?.bytes ?? 0);
        messages.delete(ws);
        handlers.closed();
      });
    });
  });
  return () => {
    clearInterval(pings);
    clearInterval(looks);
    for (const ws of open.keys()) ws.terminate();
  };
}

/** What the library says of a message beyond `maxPayload`. */
const TOO_LONG = "Max payload size exceeded";

interface UnfinishedMessage {
  bytes: number;
  /** Its first byte came then: performance.now(). */
  since: number;
}

/** Of a message that is not complete; the library keeps them where its types do not show them. */
function unfinishedBytes(ws: WebSocket): number {
  const receiver = (ws as { _receiver?: { _bufferedBytes: number; _messageLength: number } })._receiver;
  return receiver ? receiver._bufferedBytes + receiver._messageLength : 0;
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
