import { connect, type Socket } from "node:net";

export interface WireAnswer {
  status: number;
  /** Names in lower case. */
  headers: ReadonlyMap<string, string>;
  body: Buffer;
}

/** Thrown when no complete answer arrived in time. */
export class NoAnswerError extends Error {
  readonly limitMs: number;

  constructor(limitMs: number) {
    super(`no whole answer within ${limitMs} ms`);
    this.name = "NoAnswerError";
    this.limitMs = limitMs;
  }
}

/** Thrown when an answer is not HTTP. */
export class WireError extends Error {
  constructor(rule: string) {
    super(rule);
    this.name = "WireError";
  }
}

interface Head {
  status: number;
  headers: Map<string, string>;
  bytes: number;
}

/** A keep-alive connection that sends arbitrary bytes, one request at a time. */
export class WireConnection {
  readonly #socket: Socket;
  #received: Buffer[] = [];
  #length = 0;
  #closed = false;
  #wake: (() => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (part: Buffer) => {
      this.#received.push(part);
      this.#length += part.length;
      this.#wake?.();
    });
    // A reset is noticed by the close event that follows it.
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#closed = true;
      this.#wake?.();
    });
  }

  static async open(port: number): Promise<WireConnection> {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    return new WireConnection(socket);
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Destroys the connection at once. */
  drop(): void {
    this.#socket.destroy();
    this.#closed = true;
  }

  /** Writes pieces one after the other. Returns false if the connection closes meanwhile. */
  async write(pieces: readonly Uint8Array[]): Promise<boolean> {
    for (const [i, piece] of pieces.entries()) {
      if (this.#closed) return false;
      if (!this.#socket.write(piece)) await this.#drained();
      if (i < pieces.length - 1) await new Promise((resolve) => setImmediate(resolve));
    }
    return !this.#closed;
  }

  /** The next answer; undefined if the connection closes before its first byte. `headOnly` for answers to HEAD. */
  async answer(limitMs: number, headOnly = false): Promise<WireAnswer | undefined> {
    const end = Date.now() + limitMs;
    const head = await this.#head(end, limitMs);
    if (head === undefined) return undefined;
    const { status, headers } = head;
    let whole: { body: Buffer; bytes: number };
    if (headOnly || status === 204) whole = { body: Buffer.alloc(0), bytes: head.bytes };
    else if (headers.get("transfer-encoding") === "chunked") whole = await this.#chunked(head.bytes, end, limitMs);
    else {
      const length = Number(headers.get("content-length") ?? -1);
      // Without a length the body ends with the connection.
      const ended = () => (length >= 0 ? this.#holds(head.bytes + length) : this.#closed || undefined);
      await this.#until(ended, end, limitMs);
      const bytes = length >= 0 ? head.bytes + length : this.#length;
      whole = { body: this.#all().subarray(head.bytes, bytes), bytes };
    }
    const rest = this.#all().subarray(whole.bytes);
    this.#received = rest.length > 0 ? [rest] : [];
    this.#length = rest.length;
    return { status, headers, body: whole.body };
  }

  async #head(end: number, limitMs: number): Promise<Head | undefined> {
    const at = await this.#until(() => this.#find("\r\n\r\n", 0) ?? (this.#closed ? -1 : undefined), end, limitMs);
    if (at < 0) {
      if (this.#length > 0) throw new WireError(`a cut off answer: ${this.#all().toString("latin1", 0, 100)}`);
      return undefined;
    }
    const [first, ...lines] = this.#all().toString("latin1", 0, at).split("\r\n");
    const status = Number(/^HTTP\/1\.[01] (\d{3})( |$)/.exec(first)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) throw new WireError(`no status line: ${first.slice(0, 100)}`);
    const headers = new Map(
      lines.map((line): [string, string] => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    if (status >= 200) return { status, headers, bytes: at + 4 };
    const rest = this.#all().subarray(at + 4);
    this.#received = [rest];
    this.#length = rest.length;
    return this.#head(end, limitMs);
  }

  async #chunked(from: number, end: number, limitMs: number): Promise<{ body: Buffer; bytes: number }> {
    const parts: Buffer[] = [];
    for (let at = from; ; ) {
      const line = await this.#until(() => this.#find("\r\n", at), end, limitMs);
      const size = Number.parseInt(this.#all().toString("latin1", at, line), 16);
      if (!Number.isInteger(size)) throw new WireError("a chunk without size");
      await this.#until(() => this.#holds(line + 4 + size), end, limitMs);
      parts.push(this.#all().subarray(line + 2, line + 2 + size));
      at = line + 4 + size;
      if (size === 0) return { body: Buffer.concat(parts), bytes: at };
    }
  }

  #all(): Buffer {
    if (this.#received.length > 1) this.#received = [Buffer.concat(this.#received)];
    return this.#received[0] ?? Buffer.alloc(0);
  }

  #find(text: string, from: number): number | undefined {
    const at = this.#length > 0 ? this.#all().indexOf(text, from) : -1;
    return at < 0 ? undefined : at;
  }

  #holds(bytes: number): true | undefined {
    return this.#length >= bytes || undefined;
  }

  /** Waits until `look` finds something in the received bytes. */
  async #until<T>(look: () => T | undefined, end: number, limitMs: number): Promise<T> {
    for (;;) {
      const seen = look();
      if (seen !== undefined) return seen;
      if (this.#closed) throw new WireError("the connection closed inside an answer");
      await this.#change(end, limitMs);
    }
  }

  #change(end: number, limitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new NoAnswerError(limitMs)), Math.max(0, end - Date.now()));
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
    });
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#socket.off("drain", done);
        this.#socket.off("close", done);
        resolve();
      };
      this.#socket.once("drain", done);
      this.#socket.once("close", done);
    });
  }
}
