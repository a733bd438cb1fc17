import { WebSocket } from "ws";
import { JsonField } from "../../json/json-field.ts";
import { parseJson } from "../../json/parse-json.ts";

const HANDSHAKE_MS = 5_000;
/** An event of the pool has at most 16,384 hashes of 69 bytes, unless one turn of the node had more. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const PING_MS = 10_000;

interface JsonObject {
  readonly [member: string]: unknown;
}

interface UpstreamSocketHandlers {
  opened(): void;
  /** Params of a notification. An error that this throws ends the connection. */
  notified(params: JsonObject): void;
  /** Called once. */
  closed(error: unknown): void;
}

type UpstreamAnswer = { result: unknown } | { error: UpstreamCallError };

/** The upstream answered a call with an error. */
export class UpstreamCallError extends Error {
  override readonly name = "UpstreamCallError";
}

/** JSON-RPC over a WebSocket to the public port of another node. */
export class UpstreamSocket {
  readonly #ws: WebSocket;
  readonly #handlers: UpstreamSocketHandlers;
  readonly #ping: NodeJS.Timeout;
  readonly #calls = new Map<number, (answer: UpstreamAnswer) => void>();
  #id = 0;
  #heard = true;
  #open = true;

  /** `url` is that of the JSON-RPC port. */
  constructor(url: string, headers: Readonly<Record<string, string>>, handlers: UpstreamSocketHandlers) {
    this.#handlers = handlers;
    this.#ws = new WebSocket(url.replace(/^http/, "ws"), {
      headers: { ...headers },
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
    });
    this.#ws.on("open", () => handlers.opened());
    this.#ws.on("message", (data: Buffer) => {
      this.#heard = true;
      try {
        this.#received(data);
      } catch (error) {
        this.end(error);
      }
    });
    this.#ws.on("pong", () => {
      this.#heard = true;
    });
    this.#ws.on("error", (error) => this.end(error));
    this.#ws.on("close", (code, reason) => this.end(new Error(`closed with code ${code} ${reason}`.trim())));
    this.#ping = setInterval(() => this.#check(), PING_MS).unref();
  }

  /**
   * Calls the method. `answered` is called before any message after the answer is handled, and not at all when the
   * connection ends before. An error that it throws ends the connection.
   */
  call(method: string, params: readonly unknown[], answered: (answer: UpstreamAnswer) => void): void {
    this.#id += 1;
    this.#calls.set(this.#id, answered);
    this.#ws.send(JSON.stringify({ jsonrpc: "2.0", id: this.#id, method, params }));
  }

  end(error: unknown): void {
    if (!this.#open) return;
    this.#open = false;
    clearInterval(this.#ping);
    this.#ws.on("error", () => undefined);
    this.#ws.terminate();
    this.#handlers.closed(error);
  }

  /** A node that hangs keeps its connections open. */
  #check(): void {
    if (this.#ws.readyState !== WebSocket.OPEN) return;
    if (!this.#heard) this.end(new Error("the node does not answer pings"));
    else this.#ws.ping();
    this.#heard = false;
  }

  #received(data: Buffer): void {
    if (!this.#open) return;
    const message = objectIn(parseJson(data));
    if (message.method === undefined) this.#answered(message);
    else this.#handlers.notified(objectIn(message.params));
  }

  #answered(message: JsonObject): void {
    const answered = this.#calls.get(message.id as number);
    // An error without an id: the node refuses calls, for instance beyond its rate limit.
    if (answered === undefined) throw new UpstreamCallError(errorText(message.error));
    this.#calls.delete(message.id as number);
    if (message.error === undefined) answered({ result: message.result });
    else answered({ error: new UpstreamCallError(errorText(message.error)) });
  }
}

export function objectIn(value: unknown): JsonObject {
  const message = new JsonField(value, "", (_, rule) => {
    throw new TypeError(`a message of the node ${rule}`);
  });
  message.object();
  return value as JsonObject;
}

function errorText(error: unknown): string {
  const { code, message } = objectIn(error);
  return `the node answered with error ${code}: ${message}`;
}
