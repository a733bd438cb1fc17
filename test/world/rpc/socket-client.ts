import { once } from "node:events";
import net from "node:net";
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
  static async to(port: number, headers: Record<string, string> = {}, path = "/"): Promise<SocketClient> {
    const ws = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers });
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

/** Asks for a WebSocket. */
export const UPGRADE =
  "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n" +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

/** Head of a client's frame, with a mask that changes nothing. */
export function frameHead(firstByte: number, length: number): Buffer {
  const lengths =
    length < 126 ? Buffer.from([0x80 | length]) : Buffer.from([0x80 | 127, 0, 0, 0, 0, ...new Uint8Array(4)]);
  if (length >= 126) lengths.writeUInt32BE(length, 5);
  return Buffer.concat([Buffer.from([firstByte]), lengths, Buffer.alloc(4)]);
}

/** A WebSocket connection whose bytes the test writes itself. It reads nothing until it is resumed. */
export async function rawSocket(port: number, localAddress = "127.0.0.1"): Promise<net.Socket> {
  const socket = net.connect({ port, host: "127.0.0.1", localAddress });
  socket.on("error", () => undefined);
  socket.write(UPGRADE);
  await once(socket, "data");
  socket.pause();
  return socket;
}

/** The close frame that ends what is read from now on; undefined for a connection that ends without one. */
export function readClose(socket: net.Socket): Promise<Closed | undefined> {
  let read = Buffer.alloc(0);
  return new Promise((resolve) => {
    socket.on("data", (chunk: Buffer) => {
      read = Buffer.concat([read, chunk]);
      const found = closeFrame(read);
      if (found === undefined) return;
      resolve(found);
      socket.destroy();
    });
    socket.once("close", () => resolve(undefined));
    socket.resume();
  });
}

function closeFrame(read: Buffer): Closed | undefined {
  for (let at = 0; at + 4 <= read.length; ) {
    const short = read[at + 1];
    const [from, length] = short < 126 ? [at + 2, short] : [at + 4, read.readUInt16BE(at + 2)];
    const payload = read.subarray(from, from + length);
    if ((read[at] & 0x0f) === 8 && payload.length === length) {
      return { code: payload.readUInt16BE(0), reason: payload.subarray(2).toString() };
    }
    at = from + length;
  }
  return undefined;
}
