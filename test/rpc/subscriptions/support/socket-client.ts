import { once } from "node:events";
import { WebSocket } from "ws";

export interface Notified {
  subscription: string;
  cursor?: string;
  event: { type: string } & Record<string, unknown>;
}

export interface Closed {
  code: number;
  reason: string;
}

interface Answer {
  id?: number;
  result?: unknown;
  error?: { code: number; message: string };
}

/** A WebSocket client of a local port that keeps what it is told. */
export class SocketClient {
  readonly events: Notified[] = [];
  /** Texts that are no notification, in their order. */
  readonly answers: unknown[] = [];
  readonly closed: Promise<Closed>;
  readonly ws: WebSocket;
  #id = 0;
  readonly #waiting = new Map<number, (answer: Answer) => void>();

  /** Rejects when the port refuses. */
  static async to(port: number, headers: Record<string, string> = {}): Promise<SocketClient> {
    const ws = new WebSocket(`ws://127.0.0.1:${port}/`, { headers });
    const client = new SocketClient(ws);
    await once(ws, "open");
    return client;
  }

  private constructor(ws: WebSocket) {
    this.ws = ws;
    ws.on("message", (data: Buffer) => this.#received(JSON.parse(data.toString())));
    ws.on("error", () => undefined);
    this.closed = new Promise((resolve) =>
      ws.once("close", (code, reason) => resolve({ code, reason: reason.toString() })),
    );
  }

  #received(message: Answer & { method?: string; params?: Notified }): void {
    if (message.method !== undefined) this.events.push(message.params!);
    else {
      this.answers.push(message);
      this.#waiting.get(message.id ?? -1)?.(message);
    }
  }

  /** The result. Rejects with the error's text. */
  async call(method: string, ...params: unknown[]): Promise<unknown> {
    this.#id += 1;
    const id = this.#id;
    const answered = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve));
    this.ws.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    const { result, error } = await answered;
    if (error !== undefined) throw new Error(`${error.code} ${error.message}`);
    return result;
  }

  subscribe(kind: string, options?: object): Promise<{ subscription: string; cursor?: string }> {
    return this.call("svc_subscribe", kind, options) as Promise<{ subscription: string; cursor?: string }>;
  }

  async leave(): Promise<void> {
    this.ws.terminate();
    await this.closed;
  }
}
