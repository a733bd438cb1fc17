import net from "node:net";

export interface Answered {
  status: number;
  head: string;
  body: unknown;
}

/** A keep-alive connection to a local JSON-RPC port, for one call at a time. */
export class Connection {
  readonly closed: Promise<void>;
  readonly #socket: net.Socket;
  #received = Buffer.alloc(0);
  #arrived: () => void = () => undefined;

  /** Rejects when nothing listens on the port. */
  static to(port: number): Promise<Connection> {
    const socket = net.connect(port, "127.0.0.1");
    return new Promise((resolve, reject) => {
      socket.once("error", reject);
      socket.once("connect", () => resolve(new Connection(socket)));
    });
  }

  private constructor(socket: net.Socket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once("close", () => resolve()));
    socket.on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#arrived();
    });
    socket.on("close", () => this.#arrived());
  }

  call(method: string, params: unknown = []): Promise<Answered> {
    return this.post(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
  }

  /** Rejects when the connection ends before the whole answer has arrived. */
  post(body: string | Uint8Array): Promise<Answered> {
    const bytes = Buffer.from(body);
    const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${bytes.length}\r\n\r\n`;
    this.#socket.write(Buffer.concat([Buffer.from(head), bytes]));
    return this.#answer();
  }

  #answer(): Promise<Answered> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const end = this.#received.indexOf("\r\n\r\n");
        const head = this.#received.subarray(0, Math.max(end, 0)).toString("latin1");
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
        if (end >= 0 && this.#received.length >= end + 4 + length) {
          const text = this.#received.subarray(end + 4, end + 4 + length).toString("utf8");
          this.#received = this.#received.subarray(end + 4 + length);
          resolve({ status: Number(head.slice(9, 12)), head, body: JSON.parse(text) });
        } else if (this.#socket.destroyed) reject(new Error("the connection ended"));
      };
      this.#arrived = look;
      look();
    });
  }

  leave(): void {
    this.#socket.destroy();
  }
}
